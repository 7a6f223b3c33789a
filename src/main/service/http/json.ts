/** @file Errors of the embedded service as application/problem+json (RFC 9457) with a stable `code`. */
import { STATUS_CODES } from 'node:http'
import type { ErrorCode, ErrorDetails } from '@shared/errors.ts'
import type { Problem } from '@shared/service/wire.ts'

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
