/** @file One request, one bounded answer. Knows nothing of what is asked. */
import ky from 'ky'
import { MienError } from '@shared/errors.ts'
import { parseExactJson, type ExactJson } from '@shared/exact-json.ts'
import { notAService, type Answer } from './errors.ts'

export const answerDeadlineMs = 30_000
/** fetch does not tell when it is connected; see `reach` in service-client.ts. */
export const reachDeadlineMs = 10_000
/** Of the decompressed body, so that a small bomb is one too. */
export const maxAnswerBytes = 5_000_000

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

/** Reads a body as UTF-8 text up to the bound; more is a `not-a-service`. */
export async function readBounded(response: Response, maxBytes = maxAnswerBytes): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    text += decoder.decode(value, { stream: true })
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => undefined)
      throw notAService(text, response.status)
    }
  }
}

/** A fetch that neither retries, follows redirects, sends cookies, nor throws for a status. */
export const plainKy = (fetch: typeof globalThis.fetch) =>
  ky.create({
    // Called through an arrow, as Electron's net.fetch and the global one must not get ky as `this`.
    fetch: (input, init) => fetch(input, init),
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    redirect: 'manual',
    credentials: 'omit',
    cache: 'no-store',
  })

/** Any status answers; rejects with what fetch threw when there was no whole answer in time. */
export async function ask(http: ReturnType<typeof plainKy>, request: Ask): Promise<ReadAnswer> {
  const deadline = new AbortController()
  const timer = setTimeout(() => {
    request.onTimeout()
    deadline.abort(new MienError('service-timeout', { host: request.url.host }))
  }, request.deadlineMs)
  try {
    const response = await http(request.url, {
      method: request.method,
      headers: request.headers,
      signal: request.signal ? AbortSignal.any([request.signal, deadline.signal]) : deadline.signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    })
    const date = response.headers.get('date')
    const answer = parseAnswer({
      status: response.status,
      contentType: response.headers.get('content-type')?.toLowerCase() ?? '',
      retryAfter: response.headers.get('retry-after'),
      text: await readBounded(response),
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
