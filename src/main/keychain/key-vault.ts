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

  constructor(keychain: Keychain) {
    this.keychain = keychain
  }

  /** The key, or null when there is none (or no keychain to read it from). */
  async read(profileId: string): Promise<string | null> {
    const inSession = this.session.get(profileId)
    if (inSession !== undefined) return inSession
    try {
      return await this.keychain.get(profileId)
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
