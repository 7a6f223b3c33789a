/** @file Sends one HTTP request and reads a bounded answer. Independent of the interface. */
import { MienError } from '@shared/errors.ts'
import { serviceHeader } from '@shared/service/wire.ts'
import { parseExactJson } from '@shared/service/exact-json.ts'
import { chunksOf, readText } from '../../../machine/transfer/download-timeout.ts'
import { notAService, tooLong, type Answer } from '../parsing/answers.ts'

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
