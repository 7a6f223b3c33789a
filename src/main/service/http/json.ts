/**
 * @file JSON of requests and answers. A body is read with a size limit and exact integers, and checked. Errors are
 * answered as application/problem+json (RFC 9457) with a stable `code`.
 */
import { STATUS_CODES } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ErrorCode, ErrorDetails } from '@shared/errors.ts'
import type { Problem } from '@shared/service/wire.ts'
import { writeExactJson, parseExactJson } from '@shared/service/exact-json.ts'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Env } from './guard.ts'

type Headers = Record<string, string>

const answerOf = (text: string, type: string, status: number, headers: Headers): Response =>
  new Response(text, { status, headers: { 'content-type': type, 'cache-control': 'no-store', ...headers } })

export const json = (value: unknown, headers: Headers = {}, status = 200): Response =>
  answerOf(writeExactJson(value), 'application/json', status, headers)

/** Thrown in routes; the app's error handler converts it to an answer. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem'

  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    readonly detail: string,
    readonly details: ErrorDetails = {},
    readonly headers: Headers = {},
  ) {
    super(detail)
  }

  answer(): Response {
    const { status, code, detail } = this
    const problem: Problem = {
      ...{ type: 'about:blank', title: STATUS_CODES[status] ?? '', status, detail, code },
      // The client's error text for `request-refused` quotes the message.
      details: code === 'request-refused' ? { message: detail, ...this.details } : this.details,
    }
    return answerOf(JSON.stringify(problem), 'application/problem+json', status, this.headers)
  }
}

export const refused = (status: number, detail: string, headers?: Headers): HttpProblem =>
  new HttpProblem(status, 'request-refused', detail, {}, headers)

export const notFound = (detail: string): HttpProblem => new HttpProblem(404, 'not-found', detail)

const maxJsonBytes = 1_000_000
const maxDepth = 32

/** @throws HttpProblem 413 */
export async function* limited(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    yield chunk
  }
}

const tooLarge = (maxBytes: number): HttpProblem => {
  const detail = `The request body is too large. Send at most ${String(maxBytes)} bytes.`
  return new HttpProblem(413, 'too-large', detail, { maxBytes }, { connection: 'close' })
}

/** @throws HttpProblem 413, 415, 400, 422 */
export async function readJson<T extends z.ZodType>(
  c: Context<Env>,
  schema: T,
  maxBytes = maxJsonBytes,
): Promise<z.output<T>> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw refused(415, 'The request body isn’t JSON. Set Content-Type to application/json.')
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const body = c.req.raw.body ? await text(limited(c.req.raw.body, maxBytes)) : ''
  let json: unknown
  try {
    json = parseExactJson(body, maxDepth)
  } catch {
    throw refused(400, 'The request body isn’t valid JSON.')
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw refused(422, `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'Invalid input'}`)
}
