/** @file File routes of the embedded service: uploads, and downloads of uploads and results. */
import type { Context } from 'hono'
import { mimeTypeOf } from '../../protocol/mime-types.ts'
import { addressOf } from '../jobs/media-source.ts'
import type { AssetStore } from '../embedded/asset-store.ts'
import { fileAnswer } from './file-answer.ts'
import type { Env } from './guard.ts'
import { previewName, resultFiles } from '../jobs/job.ts'
import type { JobRunner } from '../embedded/job-runner.ts'
import type { JobStore } from '../embedded/job-store.ts'
import { json } from './json-answer.ts'
import { HttpProblem } from './problem.ts'

export interface FileRoutesDeps {
  assets: AssetStore
  jobs: JobStore
  runner: JobRunner
  baseUrl: () => string
}

export class FileRoutes {
  constructor(private readonly deps: FileRoutesDeps) {}

  putAsset = async (c: Context<Env>): Promise<Response> => {
    const { incoming, outgoing } = c.env
    const length = c.req.header('content-length')
    async function* chunks(): AsyncGenerator<Uint8Array> {
      // The client sends the body only after "100 Continue" (see `checkContinue` in embedded-service.ts).
      if (incoming.headers.expect === '100-continue' && 'writeContinue' in outgoing) outgoing.writeContinue()
      // By default an iterator that stops early destroys the socket, and the answer with it.
      yield* incoming.iterator({ destroyOnReturn: false })
    }
    const name = (c.req.param('name') ?? '').slice(0, 255)
    const asset = await this.deps.assets
      .put(c.get('key').userId, name, chunks(), length === undefined ? null : Number(length))
      .finally(() => incoming.resume())
    return json({
      id: asset.id,
      url: addressOf({ kind: 'asset', id: asset.id }, this.deps.baseUrl()),
      size: asset.size,
    })
  }

  private file(c: Context<Env>, path: string, name: string): Promise<Response> {
    return fileAnswer(path, mimeTypeOf(name), {
      method: c.req.method,
      range: c.req.header('range') ?? null,
      ifRange: c.req.header('if-range') ?? null,
    })
  }

  getAsset = (c: Context<Env>): Promise<Response> => {
    const asset = this.deps.assets.get(c.req.param('name') ?? '', c.get('key').userId)
    if (!asset) throw new HttpProblem(404, 'not-found', 'This file doesn’t exist.')
    return this.file(c, this.deps.assets.path(asset.id), asset.name)
  }

  getResult = (c: Context<Env>): Promise<Response> => {
    const job = this.deps.jobs.get(c.req.param('objectId') ?? '')
    const name = c.req.param('file') ?? ''
    const inFolder = previewName.test(name) ? name : resultFiles.get(name)
    if (job?.userId !== c.get('key').userId || job.deletedAt !== null || inFolder === undefined)
      throw new HttpProblem(404, 'not-found', 'This file doesn’t exist.')
    return this.file(c, `${this.deps.runner.folder(job.objectId)}/${inFolder}`, name)
  }
}
