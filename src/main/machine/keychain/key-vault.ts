/**
 * @file Keys of the profiles: in the keychain, or in memory until Mien quits if the user chose so. The embedded
 * service's key is always in memory. The only place that holds keys; they are read for each request and never passed to
 * a renderer.
 */
import { MienError } from '@shared/errors.ts'
import type { KeyStatus } from '@shared/service/profile.ts'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import type { Keychain } from './keychain.ts'

/** Printable ASCII without spaces, valid in a header. */
const keyPattern = /^[\x21-\x7e]{4,4096}$/

export class KeyVault {
  private readonly session = new Map<string, string>()
  private readonly refused = new Set<string>()
  private readonly seen = new Set<string>()

  constructor(private readonly keychain: Keychain) {}

  /** All keys of this run, to be removed from diagnostics. Never shown or written. */
  get secrets(): readonly string[] {
    return [...this.seen]
  }

  /** The key; null when there is none or the keychain is unavailable. */
  async read(profileId: string): Promise<string | null> {
    const inSession = this.session.get(profileId)
    if (inSession !== undefined) return inSession
    if (profileId === embeddedProfileId) return null
    try {
      const key = await this.keychain.get(profileId)
      if (key !== null) this.seen.add(key)
      return key
    } catch {
      return null
    }
  }

  /**
   * Stores a key; surrounding white space (from copying) is trimmed.
   * @throws MienError `bad-argument` (spaces, line breaks or other invalid characters), `no-keychain`
   */
  async set(profileId: string, key: string, keep: 'keychain' | 'session'): Promise<void> {
    const trimmed = key.trim()
    if (!keyPattern.test(trimmed)) throw new MienError('bad-argument', { field: 'key' })
    this.seen.add(trimmed)
    if (keep === 'keychain') {
      await this.keychain.set(profileId, trimmed)
      this.session.delete(profileId)
    } else {
      this.session.set(profileId, trimmed)
    }
    this.refused.delete(profileId)
  }

  /** Deletes a key from the keychain and from memory. */
  async clear(profileId: string): Promise<void> {
    const inSession = this.session.delete(profileId)
    this.refused.delete(profileId)
    try {
      await this.keychain.delete(profileId)
    } catch (error) {
      if (!inSession) throw error
    }
  }

  /** Marks the current key as refused by the service. Returns true if it wasn't marked before. */
  markRefused(profileId: string): boolean {
    if (this.refused.has(profileId)) return false
    this.refused.add(profileId)
    return true
  }

  async status(profileId: string): Promise<KeyStatus> {
    const key = await this.read(profileId)
    return {
      kept: key === null ? 'none' : this.session.has(profileId) ? 'session' : 'keychain',
      lastFour: key === null ? null : key.slice(-4),
      refused: this.refused.has(profileId),
    }
  }
}
