/** @file Options of a client; sends one HTTP request and reads a bounded answer. */
import type { WordMapping } from '@shared/service/status-words.ts'
import type { TransferProgress } from '../../../machine/transfer/save-stream.ts'
import { MienError } from '@shared/errors.ts'
import { serviceHeader } from '@shared/service/wire.ts'
import { parseExactJson } from '@shared/service/exact-json.ts'
import { chunksOf, readText } from '../../../machine/transfer/download-timeout.ts'
import { notAService, tooLong, type Answer } from '../parsing/answers.ts'

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

export const answerDeadlineMs = 30_000
/** fetch doesn't report when it is connected; see `reach` in requests.ts. */
export const reachDeadlineMs = 10_000
/** Applies to the decompressed body, against zip bombs. */
export const maxAnswerBytes = 5_000_000

export interface Ask {
  method: 'GET' | 'POST'
  url: URL
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal | undefined
  deadlineMs: number
  /** Called when the deadline, not the caller, ended the request. */
  onTimeout: () => void
}

export interface ReadAnswer extends Answer {
  /** The Date header. */
  date: string | null
}

/** Sends one request; resolves for any status. */
export type PlainFetch = (url: URL, init: RequestInit) => Promise<Response>

/** Loaded with the first request: it loads undici, which takes 95 ms of the start. */
const loadKy = async () =>
  (await import('ky')).default.create({
    ...{ retry: 0, timeout: false, throwHttpErrors: false },
    ...{ redirect: 'manual', credentials: 'omit', cache: 'no-store' },
  })

/**
 * A fetch without retries, redirects, cookies, caching or exceptions for a status. The signal is also passed to `fetch`
 * directly: a Request follows its signal through a weak reference, so a deadline could be garbage-collected while a
 * body trickles in.
 */
export function plainFetch(fetch: typeof globalThis.fetch): PlainFetch {
  let loading: ReturnType<typeof loadKy> | undefined
  return async (url, { signal = null, ...init }) => {
    const ky = await (loading ??= loadKy())
    return ky(url, { ...init, signal, fetch: (request, rest) => fetch(request, { ...rest, signal }) })
  }
}

/** Resolves for any status. Rejects with fetch's error if there was no complete answer in time. */
export async function ask(http: PlainFetch, request: Ask): Promise<ReadAnswer> {
  const deadline = new AbortController()
  const timer = setTimeout(() => {
    request.onTimeout()
    deadline.abort(new MienError('service-timeout', { host: request.url.host }))
  }, request.deadlineMs)
  const signal = request.signal ? AbortSignal.any([request.signal, deadline.signal]) : deadline.signal
  try {
    const response = await http(request.url, {
      method: request.method,
      headers: request.headers,
      signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    })
    const date = response.headers.get('date')
    const { text, isCut } = await readText(chunksOf(response.body, signal), maxAnswerBytes)
    if (isCut) {
      const { code, details } = notAService(text, response.status)
      throw new MienError(code, { ...details, reason: tooLong })
    }
    const answer = parseAnswer({
      status: response.status,
      contentType: response.headers.get('content-type')?.toLowerCase() ?? '',
      retryAfter: response.headers.get('retry-after'),
      isOwn: response.headers.has(serviceHeader),
      text,
    })
    return { ...answer, date }
  } finally {
    clearTimeout(timer)
  }
}

/** `json` is undefined if the text is not JSON. */
export function parseAnswer(answer: Omit<Answer, 'json'>): ReadAnswer {
  try {
    return { ...answer, date: null, json: parseExactJson(answer.text) }
  } catch {
    return { ...answer, date: null, json: undefined }
  }
}
