/** @file One request, one bounded answer. Knows nothing of what is asked. */
import ky from 'ky'
import { MienError } from '@shared/errors.ts'
import { parseExactJson, type ExactJson } from '@shared/exact-json.ts'
import { notAService, type Answer } from '../parsing/errors.ts'

export const answerDeadlineMs = 30_000
/** fetch does not tell when it is connected; see `reach` in service-client.ts. */
export const reachDeadlineMs = 10_000
/** Of the decompressed body, so that a small bomb is one too. */
export const maxAnswerBytes = 5_000_000

/** `reason` of a `not-a-service` whose answer went beyond that. */
export const tooLong = 'too-long'

export interface Ask {
  method: 'GET' | 'POST'
  url: URL
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal | undefined
  deadlineMs: number
  /** Set to true when the deadline, not the caller, ended the request. */
  onTimeout: () => void
}

export interface ReadAnswer extends Answer {
  /** The Date header. */
  date: string | null
  rawOf: ExactJson['rawOf']
}

/** A body's chunks. Rejects as the signal says, even if the fetch that gave the body doesn't notice. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (!reader) return
  const stop = (): void => {
    reader.cancel().catch(() => undefined)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** Reads a body as UTF-8 text up to the bound; more is a `not-a-service`. */
export async function readBounded(response: Response, signal: AbortSignal, maxBytes = maxAnswerBytes): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of chunksOf(response.body, signal)) {
    bytes += chunk.byteLength
    text += decoder.decode(chunk, { stream: true })
    if (bytes <= maxBytes) continue
    const { code, details } = notAService(text, response.status)
    throw new MienError(code, { ...details, reason: tooLong })
  }
  return text + decoder.decode()
}

/** One request. Any status answers. */
export type PlainFetch = (url: URL, init: RequestInit) => Promise<Response>

/**
 * A fetch that neither retries, follows redirects, sends cookies, caches nor throws for a status. The signal goes to
 * `fetch` itself as well: a Request follows its signal through a weak reference, so that a deadline could be lost with the
 * garbage while a body trickled in.
 */
export function plainFetch(fetch: typeof globalThis.fetch): PlainFetch {
  const plain = ky.create({
    ...{ retry: 0, timeout: false, throwHttpErrors: false },
    ...{ redirect: 'manual', credentials: 'omit', cache: 'no-store' },
  })
  return (url, { signal = null, ...init }) =>
    plain(url, { ...init, signal, fetch: (request, rest) => fetch(request, { ...rest, signal }) })
}

/** Any status answers; rejects with what fetch threw when there was no whole answer in time. */
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
    const answer = parseAnswer({
      status: response.status,
      contentType: response.headers.get('content-type')?.toLowerCase() ?? '',
      retryAfter: response.headers.get('retry-after'),
      text: await readBounded(response, signal),
    })
    return { ...answer, date }
  } finally {
    clearTimeout(timer)
  }
}

/** `json` stays undefined for what is not JSON. */
export function parseAnswer(answer: Omit<Answer, 'json'>): ReadAnswer {
  try {
    const { value, rawOf } = parseExactJson(answer.text)
    return { ...answer, date: null, json: value, rawOf }
  } catch {
    return { ...answer, date: null, json: undefined, rawOf: () => answer.text }
  }
}
