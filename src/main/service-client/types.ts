/** @file Types of the service client, independent of a service's dialect. */
import type { ErrorBody } from '@shared/errors.ts'
import type { ServiceStatus, WordMapping } from '@shared/status-words.ts'
import type { Work } from '@shared/wire.ts'
import type { TransferProgress } from '../transfer/save-stream.ts'

export type { ServiceStatus }

/** A task item of any service, read tolerantly. Times in epoch ms; null means not reported. */
export interface ServiceTask {
  objectId: string
  status: ServiceStatus
  /** Verbatim. */
  statusWord: string | null
  taskId: string | null
  /** Code and details of the embedded service; for other services `task-failed` with `message`. */
  error: ErrorBody | null
  resultUrl: string | null
  coverUrl: string | null
  audioUrl: string | null
  avatarUrls: string[]
  progress: { share: number | null; etaMs: number | null } | null
  /** Embedded service only. */
  work: Work | null
  width: number | null
  height: number | null
  durationMs: number | null
  sizeBytes: number | null
  createdAt: number | null
  updatedAt: number | null
  /** This item as JSON text, with all digits of its integers. */
  raw: string
}

export interface CreateInput {
  title: string
  imageUrl: string
  videoUrl: string
  /** Null: unknown; omitted from the request. */
  durationMs: number | null
  idempotencyKey: string
}

/**
 * Outcome of a create. `refused`: the service rejected it. `not-sent`: nothing can have been created, retry is safe.
 * `unclear`: it may have been created (and charged); only the user decides.
 */
export type CreateOutcome =
  | { kind: 'created'; objectId: string }
  | { kind: 'refused'; error: ErrorBody }
  | { kind: 'not-sent'; error: ErrorBody; retryAfterMs: number | null }
  | { kind: 'unclear'; error: ErrorBody }

export interface FetchedTasks {
  /** By object id; only ids that were asked for. */
  found: Map<string, ServiceTask>
  asked: string[]
}

/** Last working path spellings, stored per profile. */
export interface Spelling {
  create?: string
  list?: string
}

export interface ServiceKey {
  /** The service's id of the key; null if it has none. */
  id: string | null
  /** The key as the service shows it, usually masked. */
  shown: string
}

export interface TransferOptions {
  onProgress?: ((progress: TransferProgress) => void) | undefined
  signal?: AbortSignal | undefined
  /** Downloads only: required file type, checked by content. */
  wanted?: 'video' | 'picture' | undefined
  /** For short-lived downloads: skips the fsync. */
  temporary?: boolean
}

export interface ServiceClientOptions {
  /** May carry a path prefix. */
  baseUrl: string
  /** True for the embedded service, whose error codes are Mien's. Codes of other services are treated as text. */
  isOwn?: boolean | undefined
  keyHeader: string
  durationUnit: 'ms' | 's'
  /** Called for each request; null: no key (`key-missing`). */
  readKey: () => Promise<string | null>
  /** In Electron: `electronFetch` (electron-fetch.ts), which returns redirects for `redirect: 'manual'`. */
  fetch: typeof globalThis.fetch
  /** fetch for creates. In Electron: `freshFetch`, because Chromium may repeat a create. Defaults to `fetch`. */
  createFetch?: typeof globalThis.fetch | undefined
  spelling?: Spelling | undefined
  onSpelling?: ((spelling: Spelling) => void) | undefined
  /** Mapping of the service's status words; called for each answer. */
  words?: (() => WordMapping) | undefined
  /** Min time between two requests; defaults to 60 ms. */
  gapMs?: number | undefined
  /** Sent in `adminHeader`, with key operations only. */
  adminToken?: string | undefined
  /** Defaults to `X-Admin-Token`. */
  adminHeader?: string | undefined
  /** Called for each key operation if there is no `adminToken`; null: none. */
  readAdmin?: (() => Promise<string | null>) | undefined
}
