/**
 * @file The keys of services: any number per service, one of them active. Settings store only the keys' names in the
 * keychain; the keys pass through here only to be stored or used in a request.
 */
import { randomUUID } from 'node:crypto'
import { MienError, type ErrorCode } from '@shared/errors.ts'
import type { KeyStatus, KeyView } from '@shared/service/profile.ts'
import type { KeyVault } from '../../machine/keychain/key-vault.ts'
import type { SettingsStore } from '../../machine/settings/settings-store.ts'

export type KeyProblem = 'key-refused' | 'key-missing'

export const isKeyProblem = (code: ErrorCode): code is KeyProblem => code === 'key-refused' || code === 'key-missing'

/** Name of the single key from before multiple keys; stored under the service's id. */
const first = 'first'
/** Name of the key kept until Mien quits; never stored on disk. */
const session = 'session'

export class ProfileKeys {
  private readonly inSession = new Set<string>()

  constructor(
    private readonly vault: KeyVault,
    private readonly settings: Pick<SettingsStore, 'notes' | 'setNotes'>,
  ) {}

  private account(profileId: string, keyId: string): string {
    return keyId === first ? profileId : `${profileId}/${keyId}`
  }

  private names(profileId: string): string[] {
    return this.settings.notes(profileId).keys ?? [first]
  }

  private activeId(profileId: string): string {
    if (this.inSession.has(profileId)) return session
    const { activeKey } = this.settings.notes(profileId)
    const names = this.names(profileId)
    return activeKey !== null && names.includes(activeKey) ? activeKey : (names[0] ?? first)
  }

  private activeAccount(profileId: string): string {
    return this.account(profileId, this.activeId(profileId))
  }

  private note(profileId: string, keys: string[], activeKey: string | null): void {
    this.settings.setNotes(profileId, { ...this.settings.notes(profileId), keys, activeKey })
  }

  read(profileId: string): Promise<string | null> {
    return this.vault.read(this.activeAccount(profileId))
  }

  status(profileId: string): Promise<KeyStatus> {
    return this.vault.status(this.activeAccount(profileId))
  }

  async list(profileId: string): Promise<KeyView[]> {
    const ids = [...this.names(profileId), ...(this.inSession.has(profileId) ? [session] : [])]
    const active = this.activeId(profileId)
    const all = await Promise.all(
      ids.map(async (id) => {
        const { kept, lastFour } = await this.vault.status(this.account(profileId, id))
        return kept === 'none' ? [] : [{ id, lastFour, kept, active: id === active }]
      }),
    )
    return all.flat()
  }

  /**
   * Stores a key and makes it active. Replaces the active one, or adds `another`.
   * @throws MienError `bad-argument`, `no-keychain`
   */
  async set(profileId: string, key: string, keep: 'keychain' | 'session', another = false): Promise<void> {
    if (keep === 'session') {
      await this.vault.set(this.account(profileId, session), key, 'session')
      this.inSession.add(profileId)
      return
    }
    const names = this.names(profileId)
    const beside = another && (await this.list(profileId)).some(({ kept }) => kept === 'keychain')
    const active = this.activeId(profileId)
    const id = beside ? randomUUID().slice(0, 8) : active === session ? (names[0] ?? first) : active
    await this.vault.set(this.account(profileId, id), key, 'keychain')
    this.note(profileId, names.includes(id) ? names : [...names, id], id)
    if (this.inSession.delete(profileId)) await this.vault.clear(this.account(profileId, session))
  }

  /** Deletes a key; the active one without `keyId`. @throws MienError `no-keychain` */
  async clear(profileId: string, keyId = this.activeId(profileId)): Promise<void> {
    await this.vault.clear(this.account(profileId, keyId))
    if (keyId === session) {
      this.inSession.delete(profileId)
      return
    }
    const left = this.names(profileId).filter((name) => name !== keyId)
    this.note(profileId, left.length === 0 ? [first] : left, null)
  }

  /** @throws MienError `not-found` */
  async use(profileId: string, keyId: string): Promise<void> {
    if (!(await this.list(profileId)).some(({ id }) => id === keyId)) throw new MienError('not-found', { id: keyId })
    if (keyId === session) return
    if (this.inSession.delete(profileId)) await this.vault.clear(this.account(profileId, session))
    this.note(profileId, this.names(profileId), keyId)
  }

  /** Marks the active key as refused. Returns true if it wasn't marked before. */
  markRefused(profileId: string): boolean {
    return this.vault.markRefused(this.activeAccount(profileId))
  }

  /** Deletes every key and the admin header's value. Without a keychain there are none to delete. */
  async forget(profileId: string): Promise<void> {
    const names = [...this.names(profileId), session, 'admin']
    for (const name of names) await this.vault.clear(this.account(profileId, name)).catch(() => undefined)
    this.inSession.delete(profileId)
  }

  /** The stored key that ends with `lastFour`, if any; needed to revoke it by its value. */
  async endingIn(profileId: string, lastFour: string): Promise<string | null> {
    const found = (await this.list(profileId)).find((key) => key.lastFour === lastFour)
    return found ? this.vault.read(this.account(profileId, found.id)) : null
  }

  readAdmin(profileId: string): Promise<string | null> {
    return this.vault.read(this.account(profileId, 'admin'))
  }

  /** @throws MienError `bad-argument`, `no-keychain` */
  async setAdmin(profileId: string, value: string | null): Promise<void> {
    const account = this.account(profileId, 'admin')
    if (value === null) await this.vault.clear(account)
    else await this.vault.set(account, value, 'keychain')
  }
}
