/** @file Keys of a user at a service, through its key operations. Never exposes a full key. */
import { randomUUID } from 'node:crypto'
import { MienError } from '@shared/errors.ts'
import type { ServiceKeyView } from '@shared/service/profile.ts'
import type { ServiceClient } from '../client/service-client.ts'
import type { ServiceKey } from '../client/parsing/read-keys.ts'
import type { ProfileKeys } from './profile-keys.ts'

const isMasked = (shown: string): boolean => /[*•…]|\.{3}|x{4,}/i.test(shown)

/** At most the last four characters of a full key; an already masked one unchanged. Pure. */
export function maskKey(shown: string): string {
  if (isMasked(shown)) return shown.slice(0, 80)
  return shown.length >= 12 ? `…${shown.slice(-4)}` : '…'
}

export class ServiceKeys {
  /** Keys of the last `list`, by row id. */
  private readonly rows = new Map<string, { profileId: string; key: ServiceKey }>()

  constructor(
    private readonly client: (profileId: string) => ServiceClient,
    private readonly own: ProfileKeys,
  ) {}

  /** `userId`: digits of an unsigned 64-bit integer. */
  async list(profileId: string, userId: string): Promise<ServiceKeyView[]> {
    const keys = await this.client(profileId).listKeys(BigInt(userId))
    const { lastFour } = await this.own.status(profileId)
    for (const [row, { profileId: id }] of this.rows) if (id === profileId) this.rows.delete(row)
    return keys.slice(0, 500).map((key) => {
      const row = randomUUID()
      this.rows.set(row, { profileId, key })
      return { row, id: key.id, masked: maskKey(key.shown), active: lastFour !== null && key.shown.endsWith(lastFour) }
    })
  }

  /** Creates a key and stores it as the active one. Show `sk` once. */
  async make(profileId: string, userId: string): Promise<{ sk: string; kept: 'keychain' | 'session' }> {
    const { shown } = await this.client(profileId).newKey(BigInt(userId))
    try {
      await this.own.set(profileId, shown, 'keychain', true)
      return { sk: shown, kept: 'keychain' }
    } catch (error) {
      if (!(error instanceof MienError) || error.code !== 'no-keychain') throw error
      await this.own.set(profileId, shown, 'session')
      return { sk: shown, kept: 'session' }
    }
  }

  /** @throws MienError `not-found` (no longer listed, or neither id nor full key is known) */
  async revoke(profileId: string, row: string): Promise<void> {
    const found = this.rows.get(row)
    if (found?.profileId !== profileId) throw new MienError('not-found', { id: row })
    const { id, shown } = found.key
    const sk = isMasked(shown) ? await this.own.endingIn(profileId, shown.slice(-4)) : shown
    if (id !== null) await this.client(profileId).deleteKey({ id })
    else if (sk !== null) await this.client(profileId).deleteKey({ sk })
    else throw new MienError('not-found', { name: maskKey(shown) })
    this.rows.delete(row)
  }
}
