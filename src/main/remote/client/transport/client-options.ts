import type { WordMapping } from '@shared/service/status-words.ts'
import type { TransferProgress } from '../../../machine/transfer/save-stream.ts'

export interface TransferOptions {
  onProgress?: ((progress: TransferProgress) => void) | undefined
  signal?: AbortSignal | undefined
  /** Downloads only: required file type, checked by content. */
  wanted?: 'video' | 'picture' | undefined
  /** Downloads only: max size. Defaults to 64 MB for pictures and to no limit for others. */
  maxBytes?: number
  /** For short-lived downloads: skips the fsync. */
  temporary?: boolean
}

/** Last working path spellings, stored per profile. */
export interface Spelling {
  create?: string | undefined
  list?: string | undefined
}

export interface ServiceClientOptions {
  /** May carry a path prefix. */
  baseUrl: string
  keyHeader: string
  durationUnit: 'ms' | 's'
  /** Called for each request; null: no key (`key-missing`). */
  readKey: () => Promise<string | null>
  /** In Electron: `electronFetch` (remote/electron-fetch.ts), which returns redirects for `redirect: 'manual'`. */
  fetch: typeof globalThis.fetch
  /** fetch for creates. In Electron: `freshFetch`, because Chromium may repeat a create. Defaults to `fetch`. */
  createFetch?: typeof globalThis.fetch | undefined
  /** Of the only certificate to accept. Both fetches must comply with it; uploads have their own connections. */
  fingerprint?: string | null | undefined
  spelling?: Spelling | undefined
  onSpelling?: ((spelling: Spelling) => void) | undefined
  /** Mapping of the service's status words; called for each answer. */
  words?: (() => WordMapping) | undefined
  /** Monotonic ms; defaults to `performance.now`. */
  ticks?: (() => number) | undefined
  /** Min time between two requests; defaults to 60 ms. */
  gapMs?: number | undefined
  /** Max time for the whole answer to a request; defaults to 30 s. */
  deadlineMs?: number | undefined
  /** Of large files; smaller ones are sent with one PUT. Defaults to 8 MiB. */
  chunkBytes?: number | undefined
  /** Sent in `adminHeader`, with key operations only. */
  adminToken?: string | undefined
  /** Defaults to `X-Admin-Token`. */
  adminHeader?: string | undefined
  /** Called for each key operation if there is no `adminToken`; null: none. */
  readAdmin?: (() => Promise<string | null>) | undefined
}
