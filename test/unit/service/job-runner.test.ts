import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AssetStore } from '../../../src/main/service/embedded/asset-store.ts'
import { jobSchema, type Job } from '../../../src/main/service/jobs/job.ts'
import { JobRunner } from '../../../src/main/service/embedded/job-runner.ts'
import { JobStore } from '../../../src/main/service/embedded/job-store.ts'
import { openServiceDb } from '../../../src/main/service/embedded/service-db.ts'
import { SteadyEngine } from '../../contract/steady-engine.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

/** Cannot be written to while the disk is full. */
class StoreOnFullDisk extends JobStore {
  full = false
  /** Only what changes this does not fit. */
  fullFor: keyof Job | null = null
  /** As long as this is there. */
  fullOf: string | null = null
  tried = 0

  override update(objectId: string, change: Partial<Job>): Job | null {
    this.tried += 1
    if (
      this.full ||
      (this.fullOf !== null && existsSync(this.fullOf)) ||
      (this.fullFor !== null && this.fullFor in change)
    )
      // As node:sqlite says it.
      throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
    return super.update(objectId, change)
  }
}

let dir: string
let runner: JobRunner
let assets: AssetStore
let jobs: StoreOnFullDisk
let close: () => void

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  dir = tempDir()
  const { db } = openServiceDb(dir, 0)
  close = () => {
    db.close()
  }
  jobs = new StoreOnFullDisk(db, Date.now)
  const free = () => Promise.resolve(1e12)
  assets = new AssetStore(dir, db, Date.now, free)
  const rest = { free, now: Date.now, fetch: globalThis.fetch, log: () => undefined }
  runner = new JobRunner({ dir, jobs, assets, engine: new SteadyEngine(), ...rest })
})
afterEach(async () => {
  vi.useRealTimers()
  await runner.dispose()
  close()
})

const put = (source: unknown): void => {
  const times = { createdAt: 1, updatedAt: 1, endedAt: null, deletedAt: null }
  const ids = { objectId: 'one', taskId: 'a', footageId: 'b', videoId: 'c', userId: '1', title: '', videoName: null }
  const job = jobSchema.parse({
    ...{ ...ids, ...times, image: source, video: source, status: 'queued' },
    ...{ footage: null, result: null, error: null },
  })
  jobs.add(job, null, '')
}

it('waits when it cannot write down what it does, and goes on when it can', async () => {
  put({ kind: 'asset', id: 'missing' })
  jobs.full = true
  runner.kick()
  await vi.waitFor(() => {
    expect(vi.getTimerCount()).toBe(1)
  })
  expect(jobs.tried).toBe(1)
  jobs.full = false
  vi.runOnlyPendingTimers()
  await vi.waitFor(() => {
    expect(jobs.get('one')).toMatchObject({ status: 'failed', error: { code: 'file-missing' } })
  })
})

it('calls a disk full on which the result does not fit, and goes on when there is room', async () => {
  vi.useRealTimers()
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('any bytes will do')
  }
  const { id } = await assets.put('1', 'face.jpg', bytes(), null)
  put({ kind: 'asset', id })
  jobs.fullFor = 'result'
  runner.kick()
  await vi.waitFor(() => {
    expect(jobs.get('one')).toMatchObject({ status: 'failed', error: { code: 'disk-full' } })
  })
  expect(existsSync(join(runner.folder('one'), 'work'))).toBe(true)
  jobs.fullFor = null
  const job = jobs.get('one')
  if (job) await runner.resume(job)
  await vi.waitFor(() => {
    expect(jobs.get('one')).toMatchObject({ status: 'completed', footage: { width: 320, frames: 20, hasCover: true } })
  })
})

it('deletes what fills a disk', async () => {
  put({ kind: 'asset', id: 'missing' })
  const folder = runner.folder('one')
  mkdirSync(folder, { recursive: true })
  jobs.fullOf = folder
  const job = jobs.get('one')
  if (job) await runner.delete(job)
  expect(existsSync(folder)).toBe(false)
  expect(jobs.get('one')?.deletedAt).not.toBeNull()
})

it('finishes a deletion before it is disposed', async () => {
  put({ kind: 'asset', id: 'missing' })
  mkdirSync(runner.folder('one'), { recursive: true })
  const job = jobs.get('one')
  const deletion = job ? runner.delete(job) : Promise.reject(new Error('no job'))
  const steps: string[] = []
  void deletion.finally(() => steps.push('deleted'))
  await runner.dispose()
  steps.push('disposed')
  await deletion
  expect(steps).toEqual(['deleted', 'disposed'])
})
