/** @file What the service client tells its callers, whatever the service's dialect. */
import type { ErrorBody } from '@shared/errors.ts'
import type { ServiceStatus, WordMapping } from '@shared/status-words.ts'
import type { Work } from '@shared/wire.ts'

export type { ServiceStatus }

/** A task item as any service may send it, read tolerantly. Times in epoch ms; null is what was not told. */
export interface ServiceTask {
  objectId: string
  status: ServiceStatus
  /** Verbatim. */
  statusWord: string | null
  taskId: string | null
  /** The embedded service's own code and details; of any other service `task-failed` with its `message`. */
  error: ErrorBody | null
  resultUrl: string | null
  coverUrl: string | null
  audioUrl: string | null
  avatarUrls: string[]
  progress: { share: number | null; etaMs: number | null } | null
  /** Only of the embedded service. */
  work: Work | null
  width: number | null
  height: number | null
  durationMs: number | null
  sizeBytes: number | null
  createdAt: number | null
  updatedAt: number | null
  /** This item's JSON exactly as it came. */
  raw: string
}

export interface CreateInput {
  title: string
  imageUrl: string
  videoUrl: string
  /** Null: unknown, then left out of the request. */
  durationMs: number | null
  idempotencyKey: string
}

/**
 * What became of a create. `refused`: the service read it and said no. `not-sent`: nothing can have
 * been created, it may go again. `unclear`: it may have been created (and charged); only the user decides.
 */
export type CreateOutcome =
  | { kind: 'created'; objectId: string }
  | { kind: 'refused'; error: ErrorBody }
  | { kind: 'not-sent'; error: ErrorBody; retryAfterMs: number | null }
  | { kind: 'unclear'; error: ErrorBody }

export interface FetchedTasks {
  /** By object id; ids that were not asked for are dropped. */
  found: Map<string, ServiceTask>
  asked: string[]
}

/** Path spellings that worked last, to be remembered per profile. */
export interface Spelling {
  create?: string
  list?: string
}

export interface ServiceKey {
  /** The service's id of the key; null where it has none. */
  id: string | null
  /** As the service shows it, usually masked. */
  shown: string
}

export interface TransferProgress {
  bytesDone: number
  bytesTotal: number | null
}

export interface TransferOptions {
  onProgress?: ((progress: TransferProgress) => void) | undefined
  signal?: AbortSignal | undefined
  /** For a download: what it must turn out to be, by its content, before it takes its place. */
  wanted?: 'video' | 'picture' | undefined
  /** A download that is looked at for a moment: it is not waited for until it would outlive a power cut. */
  temporary?: boolean
}

export interface ServiceClientOptions {
  /** May carry a path prefix. */
  baseUrl: string
  /** It's the embedded service: its error codes are Mien's. Those of other services count as text. */
  isOwn?: boolean | undefined
  keyHeader: string
  durationUnit: 'ms' | 's'
  /** Asked for each request; null: there is none (`key-missing`). */
  readKey: () => Promise<string | null>
  /** In Electron: `electronFetch` (electron-fetch.ts), which answers `redirect: 'manual'` with the redirect. */
  fetch: typeof globalThis.fetch
  /** For creates. In Electron: `freshFetch`, as Chromium would send a create again; `fetch` without it. */
  createFetch?: typeof globalThis.fetch | undefined
  spelling?: Spelling | undefined
  onSpelling?: ((spelling: Spelling) => void) | undefined
  /** What words of this service mean; asked for each answer. */
  words?: (() => WordMapping) | undefined
  /** Least time between two requests; 60 ms without it. */
  gapMs?: number | undefined
  /** Sent with key operations only, in `adminHeader`. */
  adminToken?: string | undefined
  /** `X-Admin-Token` without it. */
  adminHeader?: string | undefined
  /** Asked for each key operation, where there is no `adminToken`; null: there is none. */
  readAdmin?: (() => Promise<string | null>) | undefined
}
