/**
 * @file fetch over Electron's net.request, for two things that net.fetch does not do:
 * - `redirect: 'manual'` answers the redirect itself (net.fetch rejects), so that the client can follow it
 *   without taking the key to another host;
 * - a create can go over a connection of its own. Chromium sends a request again, a POST too, when a
 *   connection that was used before breaks before an answer: a create would be sent, and charged, twice.
 *
 * Electron itself is handed in, so that this folder does not import it.
 */
import { Readable } from 'node:stream'

/** What is used of Electron's IncomingMessage, ClientRequest, net.request and Session. */
/** It is a node:stream Readable, too, though Electron's types do not say so. */
export interface ElectronAnswer {
  statusCode: number
  headers: Record<string, string | string[]>
}
export interface ElectronRequest {
  setHeader(name: string, value: string): void
  on(event: 'response', listener: (answer: ElectronAnswer) => void): unknown
  on(event: 'redirect', listener: (status: number, method: string, url: string) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  abort(): void
  end(body?: string | Buffer): unknown
}
export interface ElectronRequestOptions {
  url: string
  method: string
  redirect: 'follow' | 'error' | 'manual'
  credentials: 'omit'
  cache: 'no-store'
}
export type OpenRequest = (options: ElectronRequestOptions) => ElectronRequest

const bodiless = new Set([101, 204, 205, 304])

/** `open`: `(options) => net.request({ ...options, session })`. Request bodies are small and sent whole. */
export function electronFetch(open: OpenRequest): typeof globalThis.fetch {
  return async (input, init) => {
    const asked = new Request(input, init)
    const body = asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer())
    asked.signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const { url, method, redirect } = asked
      const request = open({ url, method, redirect, credentials: 'omit', cache: 'no-store' })
      for (const [name, value] of asked.headers) request.setHeader(name, value)
      asked.signal.addEventListener(
        'abort',
        () => {
          // fetch rejects with whatever reason the signal has.
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
          reject(asked.signal.reason)
          request.abort()
        },
        { once: true },
      )
      request.on('redirect', (status, _method, location) => {
        if (redirect !== 'manual') return
        resolve(new Response(null, { status, headers: { location } }))
        request.abort()
      })
      request.on('response', (answer) => {
        const headers = new Headers()
        for (const [name, value] of Object.entries(answer.headers))
          headers.set(name, Array.isArray(value) ? value.join(', ') : value)
        // Readable.toWeb gives node:stream/web's type of fetch's own stream.
        const stream =
          answer instanceof Readable && !bodiless.has(answer.statusCode)
            ? (Readable.toWeb(answer) as ReadableStream)
            : null
        resolve(new Response(stream, { status: answer.statusCode, headers }))
      })
      request.on('error', reject)
      request.end(body)
    })
  }
}

/**
 * For creates: one after the other, each over a new connection. `session` is one of their own, since all its
 * connections are closed first.
 */
export function freshFetch(
  session: { closeAllConnections: () => Promise<void> },
  fetch: typeof globalThis.fetch,
): typeof globalThis.fetch {
  let last: Promise<unknown> = Promise.resolve()
  const once = async (input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
    await session.closeAllConnections()
    const response = await fetch(input, init)
    // Read to its end here, as the next one closes this one's connection. Answers to a create are small;
    // what is not is cut off, which the reader finds unreadable.
    const body = bodiless.has(response.status) ? null : await readSome(response)
    return new Response(body, { status: response.status, headers: response.headers })
  }
  return (input, init) => {
    const next = last.then(() => once(input, init))
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
