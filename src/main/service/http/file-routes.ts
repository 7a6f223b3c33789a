/** @file File routes of the embedded service: uploads, and downloads of uploads and results. */
import type { Context } from 'hono'
import { mimeTypeOf } from '../../machine/transfer/mime-types.ts'
import type { Files, StoredFile } from '../backend.ts'
import { assetPath } from '../jobs/job.ts'
import type { BaseUrl, Env } from './guard.ts'
import { json, HttpProblem } from './json.ts'
import { parseByteRange } from '../../machine/transfer/byte-range.ts'

interface FileRequest {
  method: string
  range: string | null
  ifRange: string | null
}

/** @throws HttpProblem 404 without a file, or 416 */
async function fileAnswer(file: StoredFile | null, contentType: string, request: FileRequest): Promise<Response> {
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

interface FileRoutesDeps {
  files: Files
  baseUrl: BaseUrl
}

/** A request's body, as it arrives. Call `incoming.resume()` afterwards: some of it may not have been read. */
export async function* bodyOf(c: Context<Env>): AsyncGenerator<Uint8Array> {
  const { incoming, outgoing } = c.env
  // The client sends the body only after "100 Continue" (see `checkContinue` in http-server.ts).
  if (incoming.headers.expect === '100-continue' && 'writeContinue' in outgoing) outgoing.writeContinue()
  // By default, an iterator that stops early destroys the socket before the answer is sent.
  yield* incoming.iterator({ destroyOnReturn: false })
}

export class FileRoutes {
  constructor(private readonly deps: FileRoutesDeps) {}

  putAsset = async (c: Context<Env>): Promise<Response> => {
    const length = c.req.header('content-length')
    const name = (c.req.param('name') ?? '').slice(0, 255)
    const asset = await this.deps.files
      .put(c.get('userId'), name, bodyOf(c), length === undefined ? null : Number(length))
      .finally(() => c.env.incoming.resume())
    return json({
      id: asset.id,
      url: this.deps.baseUrl(c) + assetPath(asset.id),
      size: asset.size,
    })
  }

  private file(c: Context<Env>, file: StoredFile | null, name: string): Promise<Response> {
    return fileAnswer(file, mimeTypeOf(name), {
      method: c.req.method,
      range: c.req.header('range') ?? null,
      ifRange: c.req.header('if-range') ?? null,
    })
  }

  getAsset = async (c: Context<Env>): Promise<Response> => {
    const { files } = this.deps
    const asset = await files.asset(c.get('userId'), c.req.param('name') ?? '')
    if (!asset) throw new HttpProblem(404, 'not-found', 'This file doesn’t exist.')
    return this.file(c, await files.openAsset(asset.id), asset.name)
  }

  getResult = async (c: Context<Env>): Promise<Response> => {
    const name = c.req.param('file') ?? ''
    const file = await this.deps.files.openResult(c.get('userId'), c.req.param('objectId') ?? '', name)
    return this.file(c, file, name)
  }
}
