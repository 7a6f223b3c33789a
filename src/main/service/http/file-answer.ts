/** @file Serves a file over HTTP, whole or one range. */
import type { StoredFile } from '../backend.ts'
import { parseByteRange } from '../../machine/transfer/byte-range.ts'
import { HttpProblem } from './json.ts'

export interface FileRequest {
  method: string
  range: string | null
  ifRange: string | null
}

/** @throws HttpProblem 404 without a file, or 416 */
export async function fileAnswer(
  file: StoredFile | null,
  contentType: string,
  request: FileRequest,
): Promise<Response> {
  if (!file) throw new HttpProblem(404, 'not-found', 'This file doesn’t exist.')
  const { size, etag } = file
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
  // `end: -1` is not a valid range, so an empty file has no body.
  const body = request.method === 'HEAD' || size === 0 ? null : await file.open(start, end)
  return new Response(body, {
    status: range === null ? 200 : 206,
    headers: { ...headers, ...partial, 'content-length': String(end - start + 1) },
  })
}
