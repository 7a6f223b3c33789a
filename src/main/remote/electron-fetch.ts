/**
 * @file fetch on top of Electron's net.request, for two things that net.fetch can't do:
 * - `redirect: 'manual'` returns the redirect (net.fetch rejects), so that the client can follow it without sending the
 *   key to another host;
 * - a create can use a new connection. Chromium repeats a request, even a POST, when a reused connection breaks before
 *   an answer: a create would be sent, and charged, twice.
 */
import { Readable, finished } from 'node:stream'
import type { ClientRequest, ClientRequestConstructorOptions, IncomingMessage, Session } from 'electron'

export type OpenRequest = (options: ClientRequestConstructorOptions) => ClientRequest

const bodiless = new Set([101, 204, 205, 304])

/** `open`: `(options) => net.request({ ...options, session })`. Request bodies are small and sent in one piece. */
export function electronFetch(open: OpenRequest): typeof globalThis.fetch {
  return async (input, init) => {
    // Without the signal: its copy follows it through a weak reference and may be garbage-collected.
    const asked = new Request(input, { ...init, signal: null })
    const signal = init?.signal ?? (input instanceof Request ? input.signal : asked.signal)
    const body = asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer())
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const { url, method, redirect } = asked
      const request = open({ url, method, redirect, credentials: 'omit', cache: 'no-store' })
      for (const [name, value] of asked.headers) request.setHeader(name, value)
      const abort = (): void => {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as fetch, with the signal's reason
        reject(signal.reason)
        request.abort()
      }
      // The listener holds the body, and a timeout's signal outlives the request by minutes.
      const forget = (): void => {
        signal.removeEventListener('abort', abort)
      }
      signal.addEventListener('abort', abort, { once: true })
      // A broken server may send something that Response rejects (e.g. status 2). An exception in a listener would be
      // unhandled, so fail the request instead.
      const answered = (make: () => Response): void => {
        try {
          resolve(make())
        } catch (error) {
          reject(new Error('net::ERR_INVALID_HTTP_RESPONSE', { cause: error }))
          request.abort()
        }
      }
      request.on('redirect', (status, _method, location) => {
        if (redirect !== 'manual') return
        forget()
        answered(() => new Response(null, { status, headers: { location } }))
        request.abort()
      })
      request.on('response', (answer) => {
        if (answer instanceof Readable && !bodiless.has(answer.statusCode)) finished(answer, forget)
        else forget()
        answered(() => responseOf(answer))
      })
      request.on('error', (error) => {
        forget()
        reject(error)
      })
      request.end(body)
    })
  }
}

/** An answer is also a node:stream Readable, although Electron's types don't say so. */
function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status } = answer
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  // Readable.toWeb returns node:stream/web's type of fetch's stream.
  const stream = answer instanceof Readable && !bodiless.has(status) ? (Readable.toWeb(answer) as ReadableStream) : null
  return new Response(stream, { status, headers })
}

/** Uses a separate fetch per origin, so that a service that hangs doesn't delay others. */
export function byOrigin(make: () => typeof globalThis.fetch): typeof globalThis.fetch {
  const known = new Map<string, typeof globalThis.fetch>()
  return (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input)
    const fetch = known.get(origin) ?? make()
    known.set(origin, fetch)
    return fetch(input, init)
  }
}

/**
 * fetch for creates: sequential, each on a new connection. `session` must be used by nothing else, because all its
 * connections are closed first.
 */
export function freshFetch(
  session: Pick<Session, 'closeAllConnections'>,
  fetch: typeof globalThis.fetch,
): typeof globalThis.fetch {
  let last: Promise<unknown> = Promise.resolve()
  const once = async (input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
    await session.closeAllConnections()
    const response = await fetch(input, init)
    // Read the body here, because the next create closes this connection. Answers to a create are small; longer ones
    // are truncated and then fail to parse.
    const body = bodiless.has(response.status) ? null : await readSome(response)
    return new Response(body, { status: response.status, headers: response.headers })
  }
  return (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    const given = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener(
        'abort',
        () => {
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as in `electronFetch`
          reject(signal.reason)
        },
        { once: true },
      )
    })
    // An aborted create doesn't block its caller or the next create. closeAllConnections never resolves if Chromium's
    // network process is killed meanwhile.
    const next = Promise.race([last.then(() => once(input, init)), given])
    last = next.catch(() => undefined)
    return next
  }
}

const someBytes = 1_000_000

async function readSome(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    bytes += part.byteLength
    if (bytes > someBytes) break
  }
  return new Uint8Array(Buffer.concat(parts))
}
