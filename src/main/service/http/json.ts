/**
 * @file JSON of requests and answers. A body is read with a size limit and exact integers, and checked. Errors are
 * answered as application/problem+json (RFC 9457) with a stable `code`.
 */
import { STATUS_CODES } from 'node:http'
import type { ErrorCode, ErrorDetails } from '@shared/errors.ts'
import type { Problem } from '@shared/service/wire.ts'
import { writeExactJson, parseExactJson } from '@shared/service/exact-json.ts'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Env } from './guard.ts'

/** Thrown in routes; the app's error handler converts it to an answer. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem'

  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    readonly detail: string,
    readonly details: ErrorDetails = {},
    readonly headers: Record<string, string> = {},
  ) {
    super(detail)
  }

  answer(): Response {
    const { status, code, detail } = this
    const problem: Problem = {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? '',
      status,
      detail,
      code,
      // The client's error text for `request-refused` quotes the message.
      details: code === 'request-refused' ? { message: detail, ...this.details } : this.details,
    }
    return new Response(JSON.stringify(problem), {
      status,
      headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...this.headers },
    })
  }
}

export const json = (value: unknown): Response =>
  new Response(writeExactJson(value), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })

const maxJsonBytes = 1_000_000
const maxDepth = 32

async function readText(c: Context<Env>, maxBytes: number): Promise<string> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of c.req.raw.body ?? []) {
    bytes += part.byteLength
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const tooLarge = (maxBytes: number) =>
  new HttpProblem(
    413,
    'too-large',
    `The request body is too large. Send at most ${String(maxBytes / 1_000_000)} MB.`,
    { maxBytes },
    { connection: 'close' },
  )

/** @throws HttpProblem 413, 415, 400, 422 */
export async function readJson<T extends z.ZodType>(
  c: Context<Env>,
  schema: T,
  maxBytes = maxJsonBytes,
): Promise<z.output<T>> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new HttpProblem(415, 'request-refused', 'The request body isn’t JSON. Set Content-Type to application/json.')
  const text = await readText(c, maxBytes)
  let json: unknown
  try {
    json = parseExactJson(text, maxDepth)
  } catch {
    throw new HttpProblem(400, 'request-refused', 'The request body isn’t valid JSON.')
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new HttpProblem(
    422,
    'request-refused',
    `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'Invalid input'}`,
  )
}
