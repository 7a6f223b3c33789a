/** @file Downloads a video from a URL that the user entered, with specific errors. */
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MienError } from '@shared/errors.ts'
import { isDiskFull } from '../data/disk-full.ts'
import { freeBytes } from '../data/free-bytes.ts'

const answerMs = 10_000
const inactivityMs = 30_000

/** Parses an http(s) URL. @throws MienError `address-invalid` */
export function parseVideoAddress(text: string): URL {
  const url = URL.parse(text.trim())
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '') {
    throw new MienError('address-invalid', { url: text.trim().slice(0, 200) })
  }
  return url
}

/** Safe file name from the last segment of a URL's path; "video.mp4" if there is none. */
export function nameFromAddress(url: URL): string {
  let last: string
  try {
    last = decodeURIComponent(url.pathname.split('/').at(-1) ?? '')
  } catch {
    last = ''
  }
  const safe = last
    .replaceAll(/[^\p{L}\p{N} ._-]/gu, '_')
    .replace(/^\.+/, '')
    .slice(-120)
  return /\.[a-z0-9]{2,4}$/i.test(safe) ? safe : `${safe === '' ? 'video' : safe}.mp4`
}

/**
 * Streams `url` to `path`. `onProgress` gets the bytes so far and the total (null if unknown).
 * @throws MienError `address-silent` (host, seconds), `address-refused` (host, status), `address-not-video` (host),
 * `disk-full` (needBytes, freeBytes), `cancelled`
 */
export async function fetchAddress(
  url: URL,
  path: string,
  options: {
    fetch: typeof globalThis.fetch
    signal: AbortSignal
    onProgress: (done: number, total: number | null) => void
  },
): Promise<void> {
  const inactivity = new AbortController()
  let seconds = answerMs / 1000
  let timer = setTimeout(() => {
    inactivity.abort()
  }, answerMs)
  const listen = (): void => {
    clearTimeout(timer)
    seconds = inactivityMs / 1000
    timer = setTimeout(() => {
      inactivity.abort()
    }, inactivityMs)
  }
  const host = url.host
  try {
    const answer = await options.fetch(url, { signal: AbortSignal.any([options.signal, inactivity.signal]) })
    if (!answer.ok) throw new MienError('address-refused', { host, status: answer.status })
    const type = answer.headers.get('content-type') ?? ''
    if (/^(?:text\/|application\/(?:json|xhtml))/i.test(type) || answer.body === null) {
      throw new MienError('address-not-video', { host })
    }
    const length = Number(answer.headers.get('content-length') ?? Number.NaN)
    const total = Number.isFinite(length) && length > 0 ? length : null
    if (total !== null) await ensureRoom(path, total)
    listen()
    let done = 0
    const count = new Transform({
      transform(chunk: Uint8Array, _encoding, next) {
        done += chunk.length
        listen()
        options.onProgress(done, total)
        next(null, chunk)
      },
    })
    // Node's type and the DOM's type of the same stream.
    const body = answer.body as Parameters<typeof Readable.fromWeb>[0]
    await pipeline(Readable.fromWeb(body), count, createWriteStream(path))
  } catch (error) {
    await rm(path, { force: true })
    if (options.signal.aborted) throw new MienError('cancelled')
    if (error instanceof MienError) throw error
    if (isDiskFull(error)) throw new MienError('disk-full', {}, { cause: error })
    throw new MienError('address-silent', inactivity.signal.aborted ? { host, seconds } : { host }, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

async function ensureRoom(path: string, needBytes: number): Promise<void> {
  const free = await freeBytes(dirname(path))
  if (needBytes > free) throw new MienError('disk-full', { needBytes, freeBytes: free })
}
