import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { FaceInspection, VideoInspection } from '@shared/engine.ts'
import { MienError } from '@shared/errors.ts'
import { AssetStore } from '../../../src/main/local-service/asset-store.ts'
import { JobInputs } from '../../../src/main/local-service/job-inputs.ts'
import { jobSchema, type Job } from '../../../src/main/local-service/job.ts'
import { JobStore } from '../../../src/main/local-service/job-store.ts'
import { openServiceDb } from '../../../src/main/local-service/service-db.ts'
import { SteadyEngine } from '../../contract/steady-engine.ts'

/** Says nothing about the face before it is asked about the video. */
class BothAtOnce extends SteadyEngine {
  private readonly video = Promise.withResolvers<undefined>()

  override async inspectFace(path: string, dir: string): Promise<FaceInspection> {
    await this.video.promise
    return super.inspectFace(path, dir)
  }
  override inspectVideo(path: string, dir: string): Promise<VideoInspection> {
    this.video.resolve(undefined)
    return super.inspectVideo(path, dir)
  }
}

/** Finds no face, and never comes to an end with the video. */
class EndlessVideo extends SteadyEngine {
  override async inspectFace(): Promise<FaceInspection> {
    throw new MienError('no-face-in-picture', { name: 'face.jpg' })
  }
  override inspectVideo(_path: string, _dir: string, signal?: AbortSignal): Promise<VideoInspection> {
    return new Promise((_, reject) => {
      const end = (): void => {
        reject(new MienError('cancelled'))
      }
      if (signal?.aborted) end()
      signal?.addEventListener('abort', end)
    })
  }
}

let dir: string
let close: () => void
let job: Job
let inputsOf: (engine: SteadyEngine) => JobInputs

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'mien-inputs-'))
  for (const name of ['input', 'footage']) mkdirSync(join(dir, name))
  const { db } = openServiceDb(dir, 0)
  close = () => {
    db.close()
  }
  const jobs = new JobStore(db, Date.now)
  const free = () => Promise.resolve(1e12)
  const assets = new AssetStore(dir, db, Date.now, free)
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('any bytes will do')
  }
  const { id } = await assets.put('1', 'face.jpg', bytes(), null)
  const source = { kind: 'asset', id }
  const times = { createdAt: 1, updatedAt: 1, endedAt: null, deletedAt: null }
  const ids = { objectId: 'one', taskId: 'a', footageId: 'b', videoId: 'c', userId: '1', title: '', videoName: null }
  job = jobSchema.parse({
    ...{ ...ids, ...times, image: source, video: source, status: 'processing' },
    ...{ footage: null, result: null, error: null },
  })
  jobs.add(job, null, '')
  inputsOf = (engine) => new JobInputs({ jobs, assets, engine, fetch: globalThis.fetch, free })
})
afterEach(() => {
  close()
  rmSync(dir, { recursive: true, force: true })
})

it('are looked at both at once', async () => {
  const found = await inputsOf(new BothAtOnce()).inspect(job, dir, new AbortController().signal)
  expect(found).toMatchObject({ frames: 20 })
})

it('are not looked at any further when the picture has no face', async () => {
  const looked = inputsOf(new EndlessVideo()).inspect(job, dir, new AbortController().signal)
  await expect(looked).rejects.toMatchObject({ code: 'no-face-in-picture' })
})
