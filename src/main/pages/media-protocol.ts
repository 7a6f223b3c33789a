/**
 * @file `media://item/<opaque id>` reads a granted file in ranges; `media://job/<token>/<name>` reads and writes the
 * files of an engine job. Bytes are streamed both ways; URLs never contain paths.
 */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { Session } from 'electron'
import { removeFile, replaceFile, syncNames } from '../machine/disk/files.ts'
import { isDiskFull } from '../machine/disk/disk-errors.ts'
import { parseByteRange } from '../machine/transfer/byte-range.ts'
import { mimeTypeOf } from '../machine/transfer/mime-types.ts'

export interface MediaProtocolOptions {
  /** Origin that may read the responses, e.g. `app://studio`. */
  origin: string
  /** Path of an item's file; null if it isn't granted to this session. */
  item: (id: string) => Promise<string | null>
  /** Folder of a job by its token; null when unknown. Without it the session has no job files. */
  job?: (token: string) => string | null
}

/** Names of files that the engine may write for a job; others are rejected. */
const jobFilePattern =
  /^(?:output\.(?:mp4|jpg|png|webp)|joined\.mp4|segment-\d{4,6}\.(?:bin|json)|view-\d-\d\.jpg|cover\.jpg|frame\.png|face\.jpg|face-[0-9]\.jpg|clip-\d{1,5}(?:-\d{1,9}-\d{1,9})?\.jpg|audio\.m4a|before\.jpg|after\.jpg)$/

/** Installs `media:` on one session. */
export function installMediaProtocol(session: Session, options: MediaProtocolOptions): void {
  session.protocol.handle('media', async (request) => {
    const response = await answerMedia(request, options).catch((error: unknown) => status(statusOf(error)))
    response.headers.set('access-control-allow-origin', options.origin)
    response.headers.set('access-control-expose-headers', 'content-range, content-length, accept-ranges, etag')
    response.headers.set('x-content-type-options', 'nosniff')
    return response
  })
}

/** Answers one `media:` request. Rejects with file system errors. */
export async function answerMedia(request: Request, options: MediaProtocolOptions): Promise<Response> {
  const url = new URL(request.url)
  const [first, second, ...more] = url.pathname.split('/').filter((part) => part !== '')
  if (request.method === 'OPTIONS') return preflight()
  if (url.host === 'item' && first !== undefined && second === undefined) {
    if (request.method !== 'GET' && request.method !== 'HEAD') return status(405)
    const path = await options.item(first)
    return path === null ? status(404) : read(path, request)
  }
  if (url.host === 'job' && options.job && first !== undefined && second !== undefined && more.length === 0) {
    const folder = options.job(first)
    if (folder === null || !jobFilePattern.test(second)) return status(404)
    const path = join(folder, second)
    if (request.method === 'PUT') return write(path, request)
    return request.method === 'GET' || request.method === 'HEAD' ? read(path, request) : status(405)
  }
  return status(404)
}

/** Uses one file handle, so that ETag and bytes match even if the file is replaced meanwhile. */
async function read(path: string, request: Request): Promise<Response> {
  const handle = await open(path)
  let streamed = false
  try {
    const { size: bytes, mtimeNs } = await handle.stat({ bigint: true })
    const size = Number(bytes)
    const range = parseByteRange(request.headers.get('range'), size)
    const headers = new Headers({
      'content-type': mimeTypeOf(path),
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      etag: `"${size.toString(36)}-${mtimeNs.toString(36)}"`,
    })
    if (range === 'unsatisfiable') {
      headers.set('content-range', `bytes */${size}`)
      return new Response(null, { status: 416, headers })
    }
    const { start, end } = range ?? { start: 0, end: size - 1 }
    headers.set('content-length', String(end - start + 1))
    if (range) headers.set('content-range', `bytes ${start}-${end}/${size}`)
    const code = range ? 206 : 200
    if (request.method === 'HEAD' || size === 0) return new Response(null, { status: code, headers })
    const stream = handle.createReadStream({ start, end, highWaterMark: 256 * 1024 })
    streamed = true
    // A reader that stops (seek, closed page) cancels the web stream, which destroys this stream.
    // The cast is safe: Node's type of the same class.
    return new Response(Readable.toWeb(stream) as ReadableStream, { status: code, headers })
  } finally {
    if (!streamed) await handle.close()
  }
}

/** Short-lived previews, and faces of clips, of which there may be hundreds and which a scan can make again. */
const needsNoSync = (path: string): boolean => /^(?:before|after|clip-[\d-]+)\.jpg$/.test(basename(path))

/**
 * With `x-position`, writes the bytes at that offset, and with `x-ends` truncates the file after them. Without it,
 * replaces the file atomically. Data is fsynced before the response, because later writes depend on it.
 */
async function write(path: string, request: Request): Promise<Response> {
  const position = request.headers.get('x-position')
  if (position !== null && !/^\d{1,15}$/.test(position)) return status(400)
  const target = position === null ? `${path}.part` : path
  const handle = await open(
    target,
    constants.O_WRONLY | constants.O_CREAT | (position === null ? constants.O_TRUNC : 0),
  )
  let isNew = true
  try {
    isNew = position === null || (await handle.stat()).size === 0
    let at = Number(position ?? 0)
    for await (const chunk of request.body ?? []) {
      for (let from = 0; from < chunk.length;) {
        const { bytesWritten } = await handle.write(chunk, from, chunk.length - from, at)
        from += bytesWritten
        at += bytesWritten
      }
    }
    if (request.headers.has('x-ends')) await handle.truncate(at)
    if (!needsNoSync(path)) await handle.datasync()
  } catch (error) {
    await handle.close()
    if (position === null) await removeFile(target)
    throw error
  }
  await handle.close()
  if (position === null) await replaceFile(target, path)
  if (isNew && !needsNoSync(path)) await syncNames(dirname(path))
  return status(204)
}

function preflight(): Response {
  const headers = {
    'access-control-allow-methods': 'GET, HEAD, PUT',
    'access-control-allow-headers': 'range, x-position, x-ends, content-type',
    'access-control-max-age': '7200',
  }
  return new Response(null, { status: 204, headers })
}

const status = (code: number): Response => new Response(null, { status: code })

function statusOf(error: unknown): number {
  if (isDiskFull(error)) return 507
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ENOENT') return 404
  return code === 'EACCES' || code === 'EPERM' ? 403 : 500
}
