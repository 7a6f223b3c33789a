/**
 * @file The services that swaps run on: their profiles, their keys' state and a client for each. The
 * embedded one is a profile like any other; only its address is new at each start.
 */
import { randomUUID } from 'node:crypto'
import { MienError } from '@shared/errors.ts'
import type { ConnectionReport } from '@shared/ipc.ts'
import type { Profile, ProfileInput, ProfileView } from '@shared/profile.ts'
import { profileInputSchema } from '@shared/profile.ts'
import { embeddedProfileId } from '@shared/task.ts'
import type { KeyVault } from '../keychain/key-vault.ts'
import type { Network } from '../network.ts'
import { ServiceClient } from '../service-client/service-client.ts'
import { embeddedProfile, parseBaseUrl, type StoredProfile } from '../settings/profile.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import type { Services } from '../tasks/ports.ts'

interface ProfilesDeps {
  settings: Pick<SettingsStore, 'profiles' | 'setProfiles'>
  vault: KeyVault
  network: Network
  /** Set once the embedded service listens. */
  embedded: () => { baseUrl: string; adminToken: string } | null
  /** The embedded service's name for people, in the user's language. */
  embeddedName: () => string
}

export class Profiles implements Services {
  private readonly deps: ProfilesDeps
  private readonly clients = new Map<string, ServiceClient>()
  private readonly listeners = new Set<(refused: string | null) => void>()

  constructor(deps: ProfilesDeps) {
    this.deps = deps
  }

  /** Told after each change; with the profile's id when its key was refused just now. */
  onChanged(listener: (refused: string | null) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  list(): Promise<ProfileView[]> {
    const embedded = { ...embeddedProfile, name: this.deps.embeddedName() }
    return Promise.all([embedded, ...this.deps.settings.profiles].map((profile) => this.view(profile)))
  }

  /** @throws MienError `not-found` */
  async get(profileId: string): Promise<ProfileView> {
    const found = (await this.list()).find((profile) => profile.id === profileId)
    if (!found) throw new MienError('not-found', { id: profileId })
    return found
  }

  private async view(profile: Profile | StoredProfile): Promise<ProfileView> {
    const { id, name, baseUrl, keyHeader, durationUnit, allowHttp } = profile
    const key = await this.deps.vault.status(id)
    return { id, name, baseUrl, keyHeader, durationUnit, allowHttp, embedded: id === embeddedProfileId, key }
  }

  /** Adds or changes a service. @throws MienError `address-invalid`, `not-found` */
  async save(input: ProfileInput): Promise<ProfileView> {
    const parsed = profileInputSchema.parse(input)
    const profiles = this.deps.settings.profiles
    const old = profiles.find((profile) => profile.id === parsed.id)
    if (parsed.id !== undefined && !old) throw new MienError('not-found', { id: parsed.id })
    const baseUrl = parseBaseUrl(parsed.baseUrl, parsed.allowHttp)
    const profile: StoredProfile = {
      id: old?.id ?? randomUUID(),
      name: parsed.name,
      baseUrl,
      keyHeader: parsed.keyHeader,
      durationUnit: parsed.durationUnit,
      allowHttp: parsed.allowHttp,
      spelling: old?.baseUrl === baseUrl ? old.spelling : {},
    }
    this.deps.settings.setProfiles(
      old ? profiles.map((each) => (each === old ? profile : each)) : [...profiles, profile],
    )
    this.clients.delete(profile.id)
    this.changed()
    return this.view(profile)
  }

  /** Removes a service and its key. @throws MienError `forbidden` for the embedded one */
  async remove(profileId: string): Promise<void> {
    if (profileId === embeddedProfileId) throw new MienError('forbidden')
    // Without a keychain there is no key in it either.
    await this.deps.vault.clear(profileId).catch(() => undefined)
    this.deps.settings.setProfiles(this.deps.settings.profiles.filter((profile) => profile.id !== profileId))
    this.clients.delete(profileId)
    this.changed()
  }

  async setKey(profileId: string, key: string, keep: 'keychain' | 'session'): Promise<ProfileView> {
    await this.get(profileId)
    await this.deps.vault.set(profileId, key, keep)
    this.changed()
    return this.get(profileId)
  }

  async clearKey(profileId: string): Promise<ProfileView> {
    await this.deps.vault.clear(profileId)
    this.changed()
    return this.get(profileId)
  }

  async test(profileId: string): Promise<ConnectionReport> {
    return this.client(profileId).test()
  }

  /** @throws MienError `not-found` when the profile is gone, `service-unreachable` while the embedded one starts */
  client(profileId: string): ServiceClient {
    const known = this.clients.get(profileId)
    if (known) return known
    const client = new ServiceClient({
      ...this.address(profileId),
      readKey: () => this.deps.vault.read(profileId),
      ...this.deps.network,
    })
    this.clients.set(profileId, client)
    return client
  }

  private address(profileId: string) {
    if (profileId === embeddedProfileId) {
      const embedded = this.deps.embedded()
      if (!embedded) throw new MienError('service-unreachable', { service: this.deps.embeddedName() })
      const { keyHeader, durationUnit } = embeddedProfile
      return { ...embedded, keyHeader, durationUnit }
    }
    const profile = this.deps.settings.profiles.find((each) => each.id === profileId)
    if (!profile) throw new MienError('not-found', { id: profileId })
    const { baseUrl, keyHeader, durationUnit, spelling } = profile
    return {
      baseUrl,
      keyHeader,
      durationUnit,
      spelling: definedOnly(spelling),
      onSpelling: (found: StoredProfile['spelling']) => {
        this.remember(profileId, found)
      },
    }
  }

  private remember(profileId: string, spelling: StoredProfile['spelling']): void {
    const profiles = this.deps.settings.profiles
    this.deps.settings.setProfiles(profiles.map((each) => (each.id === profileId ? { ...each, spelling } : each)))
  }

  /** The embedded service works off one after the other; a second one is kept ready. Others take all. */
  inFlightLimit(profileId: string): number {
    return profileId === embeddedProfileId ? 2 : Infinity
  }

  keyRefused(profileId: string): void {
    if (this.deps.vault.markRefused(profileId)) this.changed(profileId)
  }

  private changed(refused: string | null = null): void {
    for (const listener of this.listeners) listener(refused)
  }
}

function definedOnly(spelling: StoredProfile['spelling']): { create?: string; list?: string } {
  return {
    ...(spelling.create === undefined ? {} : { create: spelling.create }),
    ...(spelling.list === undefined ? {} : { list: spelling.list }),
  }
}
