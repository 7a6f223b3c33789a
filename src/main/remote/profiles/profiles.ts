/**
 * @file Services: profiles, key status, and a client for each. The embedded service is a profile like any other, except
 * that its address changes with each start.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { MienError } from '@shared/errors.ts'
import {
  profileInputSchema,
  type FoundServer,
  type Profile,
  type ProfileInput,
  type StoredProfile,
} from '@shared/service/profile.ts'
import type { ConnectionReport, ProfileView, ServiceKeyView } from '@shared/service/profile.ts'
import { wordKey, type StatusMeaning } from '@shared/service/status-words.ts'
import { embeddedProfileId } from '@shared/tasks/task.ts'
import type { KeyVault } from '../../machine/keychain/key-vault.ts'
import type { Network } from '../network.ts'
import { readCodeFor, readPairingCode } from '../pairing/pairing-code.ts'
import { defaultLimits } from '../client/parsing/batch.ts'
import { isPrivateHost } from '../client/transport/download-request.ts'
import { ServiceClient } from '../client/service-client.ts'
import { type ServiceNotes, embeddedProfile, storedProfile } from '../../machine/settings/stored-profile.ts'
import type { SettingsStore } from '../../machine/settings/settings-store.ts'
import { ProfileKeys, type KeyProblem } from './profile-keys.ts'
import { ServiceKeys } from './service-keys.ts'

interface ProfilesDeps {
  settings: Pick<SettingsStore, 'profiles' | 'setProfiles' | 'presetProfiles' | 'notes' | 'setNotes'>
  vault: KeyVault
  network: Network
  /** Null until the embedded service listens. */
  embedded: () => { baseUrl: string; adminToken: string } | null
  /** Display name of the embedded service, in the user's language. */
  embeddedName: () => string
}

/** What happened at a service that only the user can solve. */
export interface ServiceTrouble {
  profileId: string
  code: KeyProblem | 'certificate-changed'
}

/** Max time that the studio waits for the keychain, which may ask the user to unlock it. */
const maxKeychainMs = 1000

export class Profiles {
  private readonly clients = new Map<string, ServiceClient>()
  private readonly listeners = new Set<(trouble: ServiceTrouble | null) => void>()
  private readonly own: ProfileKeys
  /** The running connection tests by service. */
  private readonly testing = new Map<string, symbol>()
  /** Keys of a user at a service. */
  readonly serviceKeys: ServiceKeys

  constructor(private readonly deps: ProfilesDeps) {
    this.own = new ProfileKeys(deps.vault, deps.settings)
    this.serviceKeys = new ServiceKeys((id) => this.client(id), this.own)
  }

  /** Called after each change, with the trouble if there is a new one. Returns its unsubscribe function. */
  onChanged(listener: (trouble: ServiceTrouble | null) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  list(): Promise<ProfileView[]> {
    return Promise.all(this.stored().map((profile) => this.view(profile)))
  }

  /** As `list`. If the keychain takes long, keys count as missing until `onChanged` is called. */
  async listNow(): Promise<ProfileView[]> {
    const list = this.list()
    const known = await Promise.race([list, setTimeout(maxKeychainMs, null, { ref: false })])
    if (known) return known
    void list.then(() => {
      this.changed()
    })
    const key = { kept: 'none', lastFour: null, refused: false } as const
    return this.stored().map((profile) => this.describe(profile, { key, keys: [], adminKept: false }))
  }

  /** Display names by id; doesn't access the keychain. */
  names(): ReadonlyMap<string, string> {
    return new Map(this.stored().map(({ id, name }) => [id, name]))
  }

  private stored(): Omit<Profile, 'words'>[] {
    const embedded = { ...embeddedProfile, name: this.deps.embeddedName() }
    const { presetProfiles, profiles } = this.deps.settings
    return [embedded, ...presetProfiles, ...profiles]
  }

  private isPreset(profileId: string | undefined): boolean {
    return this.deps.settings.presetProfiles.some(({ id }) => id === profileId)
  }

  /** @throws MienError `not-found` */
  async get(profileId: string): Promise<ProfileView> {
    const found = (await this.list()).find((profile) => profile.id === profileId)
    if (!found) throw new MienError('not-found', { id: profileId })
    return found
  }

  private async view(profile: Omit<Profile, 'words'>): Promise<ProfileView> {
    const { id } = profile
    const [key, keys, admin] = await Promise.all([
      this.own.status(id),
      this.own.list(id),
      profile.adminHeader === null ? null : this.own.readAdmin(id),
    ])
    return this.describe(profile, { key, keys, adminKept: admin !== null })
  }

  private describe(
    profile: Omit<Profile, 'words'>,
    keys: Pick<ProfileView, 'key' | 'keys' | 'adminKept'>,
  ): ProfileView {
    const { id } = profile
    const { words, userId, paused, certificateChanged, tested } = this.deps.settings.notes(id)
    const embedded = id === embeddedProfileId
    const view = { ...profile, ...keys, embedded, words, userId, paused, certificateChanged, tested }
    return { ...view, isTesting: this.testing.has(id), ...(this.isPreset(id) ? { locked: true as const } : {}) }
  }

  /** Adds or changes a service. @throws MienError `address-invalid`, `not-found` */
  async save(input: ProfileInput): Promise<ProfileView> {
    const parsed = profileInputSchema.parse(input)
    if (this.isPreset(parsed.id)) throw new MienError('forbidden')
    const profiles = this.deps.settings.profiles
    const old = profiles.find((profile) => profile.id === parsed.id)
    if (parsed.id !== undefined && !old) throw new MienError('not-found', { id: parsed.id })
    const profile = storedProfile(parsed, old?.id ?? randomUUID(), old)
    // Another address is another service, so drop what was learned.
    if (old && old.baseUrl !== profile.baseUrl) this.note(profile.id, { spelling: {}, learned: null })
    this.put(profile)
    this.clients.delete(profile.id)
    if (old && connectionOf(old) !== connectionOf(profile)) this.untested(profile.id)
    this.changed()
    return this.view(profile)
  }

  private put(profile: StoredProfile): void {
    const { profiles } = this.deps.settings
    const isKnown = profiles.some(({ id }) => id === profile.id)
    this.deps.settings.setProfiles(
      isKnown ? profiles.map((each) => (each.id === profile.id ? profile : each)) : [...profiles, profile],
    )
  }

  /**
   * Adds the service of a pairing code, or updates the one with this address, and stores its key as the active one.
   * Resumes a service whose certificate the code replaces. For a server that was `found`, a key will do.
   * @throws MienError `pairing-invalid`, `no-keychain`, `forbidden` for another certificate of a policy service
   */
  async pair(
    code: string,
    keep: 'keychain' | 'session',
    { name = null, found = null }: { name?: string | null; found?: FoundServer | null } = {},
  ): Promise<ProfileView> {
    const { key, ...paired } = found === null ? readPairingCode(code) : readCodeFor(found, code)
    const { presetProfiles, profiles } = this.deps.settings
    const old = [...presetProfiles, ...profiles].find(({ baseUrl }) => baseUrl === paired.baseUrl)
    const isOtherCertificate = old !== undefined && old.fingerprint !== paired.fingerprint
    if (isOtherCertificate && this.isPreset(old.id)) throw new MienError('forbidden')
    const id = old?.id ?? randomUUID()
    // First: without a place for the key, nothing is added or changed.
    await this.own.set(id, key, keep)
    const host = new URL(paired.baseUrl).host.slice(0, 80)
    const profile = storedProfile(
      profileInputSchema.parse({ name: name ?? found?.name ?? host, ...old, ...paired }),
      id,
      old,
    )
    if (!this.isPreset(id)) this.put(profile)
    if (isOtherCertificate) this.resumed(id)
    this.clients.delete(id)
    this.untested(id)
    return this.viewAfterChange(id)
  }

  /** Call after services were changed directly in the settings. */
  reloaded(): void {
    this.clients.clear()
    this.changed()
  }

  /** Removes a service and its keys. @throws MienError `forbidden` for the embedded service and for policy services */
  async remove(profileId: string): Promise<void> {
    refuseEmbedded(profileId)
    if (this.isPreset(profileId)) throw new MienError('forbidden')
    await this.own.forget(profileId)
    this.testing.delete(profileId)
    this.deps.settings.setNotes(profileId, null)
    this.deps.settings.setProfiles(this.deps.settings.profiles.filter((profile) => profile.id !== profileId))
    this.clients.delete(profileId)
    this.changed()
  }

  async setKey(profileId: string, key: string, keep: 'keychain' | 'session', another = false): Promise<ProfileView> {
    refuseEmbedded(profileId)
    await this.get(profileId)
    return this.changeKey(profileId, () => this.own.set(profileId, key, keep, another))
  }

  async clearKey(profileId: string, keyId?: string): Promise<ProfileView> {
    refuseEmbedded(profileId)
    await this.get(profileId)
    return this.changeKey(profileId, () => this.own.clear(profileId, keyId))
  }

  useKey(profileId: string, keyId: string): Promise<ProfileView> {
    return this.changeKey(profileId, () => this.own.use(profileId, keyId))
  }

  private async changeKey(profileId: string, change: () => Promise<void>): Promise<ProfileView> {
    // The answer to a running test is about the old key, also if it comes between the two steps below.
    this.testing.delete(profileId)
    await change()
    this.untested(profileId)
    return this.viewAfterChange(profileId)
  }

  async setAdmin(profileId: string, value: string | null): Promise<ProfileView> {
    await this.get(profileId)
    await this.own.setAdmin(profileId, value)
    return this.viewAfterChange(profileId)
  }

  /** Creates a key at the service and stores it. Show its `sk` once, and use it nowhere else. */
  async makeKey(profileId: string, userId: string): Promise<{ sk: string; kept: 'keychain' | 'session' }> {
    refuseEmbedded(profileId)
    const made = await this.serviceKeys.make(profileId, userId)
    this.untested(profileId)
    this.note(profileId, { userId })
    await this.viewAfterChange(profileId)
    return made
  }

  async listKeys(profileId: string, userId: string): Promise<ServiceKeyView[]> {
    refuseEmbedded(profileId)
    const keys = await this.serviceKeys.list(profileId, userId)
    if (this.deps.settings.notes(profileId).userId !== userId) {
      this.note(profileId, { userId })
      await this.viewAfterChange(profileId)
    }
    return keys
  }

  async setPaused(profileId: string, paused: boolean): Promise<ProfileView> {
    await this.get(profileId)
    if (paused) this.note(profileId, { paused })
    else this.resumed(profileId)
    return this.viewAfterChange(profileId)
  }

  private resumed(profileId: string): void {
    this.note(profileId, { paused: false, certificateChanged: false })
  }

  /** Whether the user paused its queue. */
  isPaused(profileId: string): boolean {
    return this.deps.settings.notes(profileId).paused
  }

  /** Sets the meaning of a status word; null removes it. */
  async mapWord(profileId: string, word: string, meaning: StatusMeaning | null): Promise<ProfileView> {
    await this.get(profileId)
    const { words } = this.deps.settings.notes(profileId)
    const others = Object.entries(words).filter(([name]) => name !== wordKey(word))
    const entries = meaning === null ? others : [...others, [wordKey(word), meaning] as const]
    this.note(profileId, { words: Object.fromEntries(entries) })
    return this.viewAfterChange(profileId)
  }

  private note(profileId: string, patch: Partial<ServiceNotes>): void {
    this.deps.settings.setNotes(profileId, { ...this.deps.settings.notes(profileId), ...patch })
  }

  private viewAfterChange(profileId: string): Promise<ProfileView> {
    this.changed()
    return this.get(profileId)
  }

  /** Tests the connection and stores the result. @throws MienError `not-found`, `service-unreachable`; see `client` */
  async test(profileId: string): Promise<ConnectionReport> {
    const client = this.client(profileId)
    const test = Symbol(profileId)
    this.testing.set(profileId, test)
    this.changed()
    const report = await client.test()
    // The service or its key has changed meanwhile, or a later test runs.
    if (this.testing.get(profileId) !== test) return report
    this.testing.delete(profileId)
    this.note(profileId, { tested: { at: Date.now(), report } })
    this.changed()
    if (report.keyAccepted === false) this.keyRefused(profileId, 'key-refused')
    return report
  }

  /** Call when the service or its key has changed. */
  private untested(profileId: string): void {
    this.testing.delete(profileId)
    this.note(profileId, { tested: null })
  }

  /** @throws MienError `not-found` when the profile is gone, `service-unreachable` while the embedded one starts */
  client(profileId: string): ServiceClient {
    const known = this.clients.get(profileId)
    if (known) return known
    const client = new ServiceClient({
      ...this.address(profileId),
      readKey: () => this.own.read(profileId),
      words: () => this.deps.settings.notes(profileId).words,
    })
    this.clients.set(profileId, client)
    return client
  }

  private address(profileId: string) {
    if (profileId === embeddedProfileId) {
      const embedded = this.deps.embedded()
      if (!embedded) throw new MienError('service-unreachable', { service: this.deps.embeddedName() })
      const { keyHeader, durationUnit } = embeddedProfile
      return { ...this.deps.network, ...embedded, keyHeader, durationUnit }
    }
    const profile = this.find(profileId)
    if (!profile) throw new MienError('not-found', { id: profileId })
    const { baseUrl, keyHeader, durationUnit, adminHeader, fingerprint } = profile
    return {
      ...(fingerprint === null ? this.deps.network : this.deps.network.pinned(fingerprint)),
      fingerprint,
      baseUrl,
      keyHeader,
      durationUnit,
      // Defaults to 2 requests a second for services with unknown limits; local services may be polled faster.
      gapMs: isPrivateHost(new URL(baseUrl).hostname) ? 60 : 500,
      spelling: this.deps.settings.notes(profileId).spelling,
      onSpelling: (spelling: ServiceNotes['spelling']) => {
        this.note(profileId, { spelling })
      },
      ...(adminHeader === null ? {} : { adminHeader, readAdmin: () => this.own.readAdmin(profileId) }),
    }
  }

  private find(profileId: string): StoredProfile | undefined {
    const { presetProfiles, profiles } = this.deps.settings
    return [...presetProfiles, ...profiles].find((each) => each.id === profileId)
  }

  /**
   * Max swaps at the service at the same time; the rest wait in the outbox. The embedded service runs one job at a time,
   * with a second one queued. Others have no limit unless it is set.
   */
  inFlightLimit(profileId: string): number {
    return profileId === embeddedProfileId ? 2 : (this.find(profileId)?.inFlight ?? Infinity)
  }

  /** True for services on this machine or LAN (reachable offline). */
  isLocal(profileId: string): boolean {
    const address = this.find(profileId)?.baseUrl
    return profileId === embeddedProfileId || (address !== undefined && isPrivateHost(new URL(address).hostname))
  }

  /** Max ids per request: the profile's setting, and what a service accepted and when that was learned (epoch ms). */
  batchLimit(profileId: string): { max: number; learned: ServiceNotes['learned'] } {
    const max = this.find(profileId)?.idsPerCall ?? defaultLimits.maxIds
    return { max, learned: this.deps.settings.notes(profileId).learned }
  }

  rememberBatchLimit(profileId: string, learned: ServiceNotes['learned']): void {
    this.note(profileId, { learned })
  }

  /** The service refused the key, or there is none: pauses everything of this profile until a new key is set. */
  keyRefused(profileId: string, code: KeyProblem): void {
    if (code === 'key-missing' || this.own.markRefused(profileId)) this.changed({ profileId, code })
  }

  /** Pauses the service as the user does, until there is a new pairing code or the user resumes it. */
  certificateChanged(profileId: string): void {
    if (this.deps.settings.notes(profileId).certificateChanged) return
    this.note(profileId, { paused: true, certificateChanged: true })
    this.changed({ profileId, code: 'certificate-changed' })
  }

  private changed(trouble: ServiceTrouble | null = null): void {
    for (const listener of this.listeners) listener(trouble)
  }
}

/** What a connection test depends on, except for the key. */
const connectionOf = ({ baseUrl, keyHeader, allowHttp, fingerprint }: StoredProfile): string =>
  JSON.stringify([baseUrl, keyHeader, allowHttp, fingerprint])

/** For changes of a service and its keys. @throws MienError `forbidden` */
function refuseEmbedded(profileId: string): void {
  if (profileId === embeddedProfileId) throw new MienError('forbidden')
}
