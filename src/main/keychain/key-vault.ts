/**
 * @file The key of each profile: in the keychain, or in memory until Mien quits when the user chose
 * so. The only place a key is held; read at the moment of a request, never handed to a renderer.
 */
import { MienError } from '@shared/errors.ts'
import type { KeyStatus } from '@shared/profile.ts'
import type { Keychain } from './keychain.ts'

/** Printable ASCII without spaces, as a header value can carry it. */
const keyPattern = /^[\x21-\x7e]{4,4096}$/

export class KeyVault {
  private readonly keychain: Keychain
  private readonly session = new Map<string, string>()
  private readonly refused = new Set<string>()
  private readonly seen = new Set<string>()

  constructor(keychain: Keychain) {
    this.keychain = keychain
  }

  /** Every key of this run, to be taken out of what leaves Mien (diagnostics). Never shown, never written. */
  get secrets(): readonly string[] {
    return [...this.seen]
  }

  /** The key, or null when there is none (or no keychain to read it from). */
  async read(profileId: string): Promise<string | null> {
    const inSession = this.session.get(profileId)
    if (inSession !== undefined) return inSession
    try {
      const key = await this.keychain.get(profileId)
      if (key !== null) this.seen.add(key)
      return key
    } catch {
      return null
    }
  }

  /**
   * Keeps a key; white space around it (from copying) is dropped.
   * @throws MienError `bad-argument` (spaces, line breaks or other characters a key cannot have), `no-keychain`
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

  /** Forgets a key everywhere. */
  async clear(profileId: string): Promise<void> {
    const inSession = this.session.delete(profileId)
    this.refused.delete(profileId)
    try {
      await this.keychain.delete(profileId)
    } catch (error) {
      if (!inSession) throw error
    }
  }

  /** Notes that the service said no to the key that is set now. True when that is new. */
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
