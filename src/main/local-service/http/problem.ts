/** @file Errors of the embedded service as application/problem+json (RFC 9457) with a stable `code`. */
import type { ErrorCode, ErrorDetails } from '@shared/errors.ts'
import type { Problem } from '@shared/wire.ts'

const titles: Record<number, string> = {
  400: 'Bad request',
  401: 'Key needed',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Too large',
  415: 'JSON needed',
  416: 'Range not satisfiable',
  422: 'Not acceptable as it is',
  429: 'Too many requests',
  500: 'Internal error',
  507: 'Disk full',
}

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
      title: titles[status] ?? 'Refused',
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
