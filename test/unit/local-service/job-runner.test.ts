import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AssetStore } from '../../../src/main/local-service/asset-store.ts'
import { jobSchema, type Job } from '../../../src/main/local-service/job.ts'
import { JobRunner } from '../../../src/main/local-service/job-runner.ts'
import { JobStore } from '../../../src/main/local-service/job-store.ts'
import { openServiceDb } from '../../../src/main/local-service/service-db.ts'
import { SteadyEngine } from '../../contract/steady-engine.ts'

/** Cannot be written to while the disk is full. */
class StoreOnFullDisk extends JobStore {
  full = false
  tried = 0

  override update(objectId: string, change: Partial<Job>): Job | null {
    this.tried += 1
    if (this.full) throw new Error('database or disk is full')
    return super.update(objectId, change)
  }
}

const dir = mkdtempSync(join(tmpdir(), 'mien-runner-'))
let runner: JobRunner
let jobs: StoreOnFullDisk
let close: () => void

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const { db } = openServiceDb(dir, 0)
  close = () => {
    db.close()
  }
  jobs = new StoreOnFullDisk(db, Date.now)
  const free = () => Promise.resolve(1e12)
  const assets = new AssetStore(dir, db, Date.now, free)
  const rest = { free, now: Date.now, fetch: globalThis.fetch, log: () => undefined }
  runner = new JobRunner({ dir, jobs, assets, engine: new SteadyEngine(), ...rest })
})
afterEach(async () => {
  vi.useRealTimers()
  await runner.dispose()
  close()
  rmSync(dir, { recursive: true, force: true })
})

it('waits when it cannot write down what it does, and goes on when it can', async () => {
  const source = { kind: 'asset', id: 'missing' }
  const times = { createdAt: 1, updatedAt: 1, endedAt: null, deletedAt: null }
  const ids = { objectId: 'one', taskId: 'a', footageId: 'b', videoId: 'c', userId: '1', title: '', videoName: null }
  const job = jobSchema.parse({
    ...{ ...ids, ...times, image: source, video: source, status: 'queued' },
    ...{ footage: null, result: null, error: null },
  })
  jobs.add(job, null, '')
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
