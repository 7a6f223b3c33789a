/** @file File routes of a service: uploads, in one piece or resumable, and downloads of uploads and results. */
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { maxChunkBytes, type Asset, type ClusterFiles } from '../cluster/cluster-files.ts'
import type { StoredFile, Upload } from '../cluster/cluster-files.ts'
import { assetPath } from '../cluster/job.ts'
import { parseByteRange } from '../../machine/transfer/byte-range.ts'
import { mimeTypeOf } from '../../machine/transfer/mime-types.ts'
import { baseUrlOf, type Env } from './guard.ts'
import { json, limited, notFound, readJson, refused, type HttpProblem } from './json.ts'
import type { RouteDeps } from './routes.ts'

/** @param name for its type. @throws HttpProblem 404 without a file, or 416 */
async function fileAnswer(c: Context<Env>, file: StoredFile | null, name: string): Promise<Response> {
  if (!file) throw notFound('This file doesn’t exist.')
  const { size, etag } = file
  const asked = (c.req.header('if-range') ?? etag) === etag ? c.req.header('range') : undefined
  const range = parseByteRange(asked ?? null, size)
  if (range === 'unsatisfiable')
    throw refused(416, 'The range is outside the file.', { 'content-range': `bytes */${String(size)}` })
  const { start, end } = range ?? { start: 0, end: size - 1 }
  // `end: -1` is not a valid range, so an empty file has no body.
  const body = c.req.method === 'HEAD' || size === 0 ? null : await file.open({ start, end })
  return new Response(body, {
    status: range === null ? 200 : 206,
    headers: {
      'content-type': mimeTypeOf(name),
      'accept-ranges': 'bytes',
      etag,
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'content-length': String(end - start + 1),
      ...(range && { 'content-range': `bytes ${String(start)}-${String(end)}/${String(size)}` }),
    },
  })
}

/** A request's body, as it arrives. Call `incoming.resume()` afterwards: some of it may not have been read. */
async function* bodyOf(c: Context<Env>): AsyncGenerator<Uint8Array> {
  const { incoming, outgoing } = c.env
  // The client sends the body only after "100 Continue" (see `checkContinue` in cluster-server.ts).
  if (incoming.headers.expect === '100-continue' && 'writeContinue' in outgoing) outgoing.writeContinue()
  // By default, an iterator that stops early destroys the socket before the answer is sent.
  yield* incoming.iterator({ destroyOnReturn: false })
}

/** `key` requires a key; `keyOrLink` also allows a signed address. */
export function addFileRoutes(
  app: Hono<Env>,
  deps: RouteDeps,
  key: MiddlewareHandler<Env>,
  keyOrLink: MiddlewareHandler<Env>,
): void {
  const { files, links } = deps
  const stored: Stored = (c, { id, size }) => json({ id, url: baseUrlOf(c, deps) + assetPath(id), size })

  app.get(assetPath(':name'), keyOrLink, async (c) => {
    const asset = await files.asset(c.get('userId'), c.req.param('name') ?? '')
    return fileAnswer(c, asset, asset?.name ?? '')
  })
  app.put(assetPath(':name'), key, async (c) => {
    const length = c.req.header('content-length')
    const name = (c.req.param('name') ?? '').slice(0, 255)
    const asset = await files
      .put(c.get('userId'), name, bodyOf(c), length === undefined ? null : Number(length))
      .finally(() => c.env.incoming.resume())
    return stored(c, asset)
  })
  app.get('/v1/results/:objectId/:file', keyOrLink, async (c) => {
    const { objectId, file } = c.req.param()
    return fileAnswer(c, await files.openResult(c.get('userId'), objectId, file), file)
  })
  if (links) addUploadRoutes(app, files, stored, key)
}

type Stored = (c: Context<Env>, asset: Asset) => Response

const offsetHeader = 'Upload-Offset'
const newUpload = z.object({ name: z.string().min(1).max(255), size: z.int().positive() })

const offsetOf = ({ received, size }: Upload): Record<string, string> => ({
  [offsetHeader]: String(received),
  'Upload-Length': String(size),
})

function addUploadRoutes(app: Hono<Env>, files: ClusterFiles, stored: Stored, key: MiddlewareHandler<Env>): void {
  const find = async (c: Context<Env>): Promise<Upload> => {
    const upload = await files.findUpload(c.get('userId'), c.req.param('id') ?? '')
    if (!upload) throw notFound('This upload doesn’t exist. Begin again.')
    return upload
  }
  const conflict = (upload: Upload): HttpProblem =>
    refused(409, `Continue at byte ${String(upload.received)}.`, offsetOf(upload))

  app.post('/v1/uploads', key, async (c) => {
    const { name, size } = await readJson(c, newUpload)
    return json({ id: await files.begin(c.get('userId'), name, size) })
  })
  // Hono also uses this route for HEAD.
  app.get('/v1/uploads/:id', key, async (c) => {
    const upload = await find(c)
    return json({ id: upload.id, size: upload.size, received: upload.received }, offsetOf(upload))
  })
  app.patch('/v1/uploads/:id', key, async (c) => {
    const upload = await find(c)
    const start = Number(c.req.header(offsetHeader) ?? NaN)
    if (start !== upload.received) throw conflict(upload)
    const maxBytes = Math.min(maxChunkBytes, upload.size - upload.received)
    if (start < upload.size) {
      const received = await files
        .append(upload, start, limited(bodyOf(c), maxBytes))
        .finally(() => c.env.incoming.resume())
      if (received === null) throw conflict(await find(c))
      upload.received = received
    }
    if (upload.received < upload.size) return new Response(null, { status: 204, headers: offsetOf(upload) })
    return stored(c, await files.finish(upload))
  })
}
