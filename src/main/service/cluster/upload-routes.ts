/** @file Routes of resumable uploads. */
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { bodyOf } from '../http/file-routes.ts'
import { withKey, type BaseUrl, type Env, type KeyGuardDeps } from '../http/guard.ts'
import { json, HttpProblem, readJson } from '../http/json.ts'
import { assetPath } from '../jobs/job.ts'
import { maxChunkBytes, type Upload, type Uploads } from './uploads.ts'

export interface UploadRoutesDeps extends KeyGuardDeps {
  uploads: Uploads
  baseUrl: BaseUrl
}

const offsetHeader = 'Upload-Offset'
const newUpload = z.object({ name: z.string().min(1).max(255), size: z.int().positive() })

const offsetOf = (upload: Upload): Record<string, string> => ({
  [offsetHeader]: String(upload.received),
  'Upload-Length': String(upload.size),
})

async function* limited(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > maxBytes)
      throw new HttpProblem(
        413,
        'too-large',
        `Send at most ${String(maxBytes)} bytes.`,
        { maxBytes },
        { connection: 'close' },
      )
    yield chunk
  }
}

export function addUploadRoutes(app: Hono<Env>, deps: UploadRoutesDeps): void {
  const { uploads, baseUrl } = deps
  const key = withKey(deps)
  const find = async (c: Context<Env>): Promise<Upload> => {
    const upload = await uploads.find(c.get('userId'), c.req.param('id') ?? '')
    if (!upload) throw new HttpProblem(404, 'not-found', 'This upload doesn’t exist. Begin again.')
    return upload
  }
  const conflict = (upload: Upload): HttpProblem =>
    new HttpProblem(409, 'request-refused', `Continue at byte ${String(upload.received)}.`, {}, offsetOf(upload))

  app.post('/v1/uploads', key, async (c) => {
    const { name, size } = (await readJson(c, newUpload)).value
    const { id } = await uploads.begin(c.get('userId'), name, size)
    return json({ id })
  })
  // Hono also uses this route for HEAD.
  app.get('/v1/uploads/:id', key, async (c) => {
    const upload = await find(c)
    const answer = json({ id: upload.id, size: upload.size, received: upload.received })
    for (const [name, value] of Object.entries(offsetOf(upload))) answer.headers.set(name, value)
    return answer
  })
  app.patch('/v1/uploads/:id', key, async (c) => {
    const userId = c.get('userId')
    const upload = await find(c)
    const start = Number(c.req.header(offsetHeader) ?? NaN)
    if (start !== upload.received) throw conflict(upload)
    const maxBytes = Math.min(maxChunkBytes, upload.size - upload.received)
    if (start < upload.size) {
      const isAdded = await uploads
        .append(userId, upload.id, start, limited(bodyOf(c), maxBytes))
        .finally(() => c.env.incoming.resume())
      if (!isAdded) throw conflict(await find(c))
    }
    const next = await find(c)
    if (next.received < next.size) return new Response(null, { status: 204, headers: offsetOf(next) })
    const { id, size } = await uploads.finish(userId, next)
    return json({ id, url: baseUrl(c) + assetPath(id), size })
  })
}
