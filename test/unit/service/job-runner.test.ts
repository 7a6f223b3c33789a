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
let engine: SteadyEngine
let runner: JobRunner
let assets: AssetStore
let jobs: StoreOnFullDisk
let close: () => void
const logged: string[] = []

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  dir = tempDir()
  logged.length = 0
  const { db } = openServiceDb(dir, 0)
  close = () => {
    db.close()
  }
  jobs = new StoreOnFullDisk(db, Date.now)
  const free = () => Promise.resolve(1e12)
  assets = new AssetStore(dir, db, Date.now, free)
  const rest = { free, now: Date.now, fetch: globalThis.fetch, log: (line: string) => void logged.push(line) }
  engine = new SteadyEngine()
  runner = new JobRunner({ dir, jobs, assets, engine, ...rest })
})
afterEach(async () => {
  vi.useRealTimers()
  await runner.dispose()
  close()
})

const put = (source: unknown, objectId = 'one'): void => {
  const times = { createdAt: 1, updatedAt: 1, endedAt: null, deletedAt: null }
  const ids = { objectId, taskId: 'a', footageId: 'b', videoId: 'c', userId: '1', title: '', videoName: null }
  const job = jobSchema.parse({
    ...{ ...ids, ...times, image: source, video: source, status: 'queued' },
    ...{ footage: null, result: null, error: null },
  })
  jobs.add(job, null, '')
}

async function upload(content: string): Promise<string> {
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(content)
  }
  return (await assets.put('1', 'face.jpg', bytes(), null)).id
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

it('puts a swap back that it could not write down, also while another one runs', async () => {
  put({ kind: 'asset', id: 'missing' })
  jobs.fullFor = 'error'
  runner.kick()
  await vi.waitFor(() => {
    expect(logged).toContain('swap one could not be recorded')
  })
  jobs.fullFor = null
  put({ kind: 'asset', id: await upload('HOLD') }, 'two')
  runner.kick()
  await vi.waitFor(() => {
    expect(runner.live('two')?.progress?.framesDone).toBe(10)
  })
  expect(jobs.get('one')?.status).toBe('processing')
  vi.runOnlyPendingTimers()
  expect([jobs.get('one')?.status, jobs.get('two')?.status]).toEqual(['queued', 'processing'])
  engine.release()
  await vi.waitFor(() => {
    expect([jobs.get('one')?.status, jobs.get('two')?.status]).toEqual(['failed', 'completed'])
  })
})

it('calls a disk full on which the result does not fit, and goes on when there is room', async () => {
  vi.useRealTimers()
  put({ kind: 'asset', id: await upload('any bytes will do') })
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
