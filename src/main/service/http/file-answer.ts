/** @file Serves a file over HTTP, whole or one range. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { parseByteRange } from '../../protocol/byte-range.ts'
import { HttpProblem } from './problem.ts'

export interface FileRequest {
  method: string
  range: string | null
  ifRange: string | null
}

/**
 * Files of jobs and assets never change under the same name, so size and modification time make a valid ETag. Throws
 * HttpProblem 404 or 416.
 */
export async function fileAnswer(path: string, contentType: string, request: FileRequest): Promise<Response> {
  const facts = await stat(path).catch(() => null)
  if (!facts?.isFile()) throw new HttpProblem(404, 'not-found', 'This file doesn’t exist.')
  const { size, mtimeMs } = facts
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`
  const headers = {
    'content-type': contentType,
    'accept-ranges': 'bytes',
    etag,
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
  }
  const asked = request.ifRange === null || request.ifRange === etag ? request.range : null
  const range = parseByteRange(asked, size)
  if (range === 'unsatisfiable')
    throw new HttpProblem(
      416,
      'request-refused',
      'The range is outside the file.',
      {},
      { 'content-range': `bytes */${String(size)}` },
    )
  const { start, end } = range ?? { start: 0, end: size - 1 }
  const partial = range === null ? null : { 'content-range': `bytes ${String(start)}-${String(end)}/${String(size)}` }
  // A file stream isn't read before it is needed, and `end: -1` is not a valid range, so an empty file has no body.
  // Readable.toWeb returns node:stream/web's type of the same stream.
  const body =
    request.method === 'HEAD' || size === 0
      ? null
      : (Readable.toWeb(createReadStream(path, { start, end })) as ReadableStream)
  return new Response(body, {
    status: range === null ? 200 : 206,
    headers: { ...headers, ...partial, 'content-length': String(end - start + 1) },
  })
}
