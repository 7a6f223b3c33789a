import type { DatabaseSync } from 'node:sqlite'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import type { VideoPeople } from '@shared/people/people.ts'
import type { ProofState } from '@shared/people/proof.ts'
import { embeddedProfileId, type Draft } from '@shared/tasks/task.ts'
import type { EnginePort, SwapJob } from '../../../../../src/main/engine/host/engine-host.ts'
import { MediaStore } from '../../../../../src/main/media/media-store.ts'
import { ProofService } from '../../../../../src/main/swaps/proof/proof-service.ts'
import { addMedia } from '../../../../fixtures/task-service.ts'
import { makeDraft, video } from '../../../../fixtures/tasks.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

const inDir = tempPaths()
let db: DatabaseSync
let media: MediaStore
let proof: ProofService
let told: ProofState[]
/** What the engine was asked for, and what it does after it has told progress. */
let jobs: SwapJob[]
let work: (job: SwapJob) => Promise<void>
let known: VideoPeople
let complete: () => Promise<VideoPeople>

const engine: EnginePort = {
  swap: async (job) => {
    jobs.push(job)
    await work(job)
    writeFileSync(join(job.dir, 'output.mp4'), `swapped ${String(job.range?.parts[0]?.fromMs)}`)
    writeFileSync(join(job.dir, 'cover.jpg'), 'cover')
    return {} as Awaited<ReturnType<EnginePort['swap']>>
  },
}
const draft = (patch: Partial<Draft> = {}): Draft => makeDraft({ profileId: embeddedProfileId, ...patch })
const ended = (): Promise<ProofState> =>
  vi.waitFor(() => {
    const last = told.at(-1)
    if (last?.stage !== 'ready' && !last?.error) throw new Error('it has not ended')
    return last
  })

beforeEach(() => {
  db = tempLibrary(inDir())
  media = new MediaStore(db)
  addMedia(media, inDir())
  jobs = []
  told = []
  work = () => Promise.resolve()
  known = {
    ...{ videoId: video.id, splits: [], scanned: 1, isCorrected: false, wasChanged: false },
    people: [{ id: 'p1', name: null, clipIds: [0] }],
    clips: [{ id: 0, fromMs: 0, toMs: 6000, faceId: 'f' }],
    moments: [{ atMs: 3000, clipId: 0, kind: 'turned', score: 0.5 }],
  }
  complete = () => Promise.resolve(known)
  proof = new ProofService({
    ...{ media, engine, dir: inDir('proof'), log: () => undefined, waitMs: 30 },
    people: {
      cast: () => ({ people: [], stay: [] }),
      of: () => Promise.resolve(known),
      complete: () => complete(),
    },
  })
  proof.onChanged((state) => told.push(state))
})
afterEach(() => proof.dispose())

describe('a proof', () => {
  it('swaps the hardest parts one by one, as the whole swap will', async () => {
    const range = { rest: 'keep' as const, parts: [{ fromMs: 500, toMs: 6000 }] }
    proof.begin('1', draft({ range }))
    const { moments, share } = await ended()
    expect(share).toBe(1)
    expect(moments.map(({ kind, fromMs, toMs }) => [kind, fromMs, toMs])).toEqual([
      ['clear', 500, 2000],
      ['turned', 2250, 3750],
      ['clear', 4150, 5650],
    ])
    const parts = moments.map(({ fromMs, toMs }) => ({ parts: [{ fromMs, toMs }], rest: 'drop' }))
    expect(jobs).toMatchObject(parts.map((part) => ({ range: part, proofOf: { range }, cast: [{ clips: null }] })))
    const made = moments.map(({ mediaId }) => readFileSync(media.path(mediaId ?? '') ?? '', 'utf8'))
    expect(made).toEqual(['swapped 500', 'swapped 2250', 'swapped 4150'])
    // The first can be seen while the others are made.
    expect(told.map((state) => state.moments.filter(({ mediaId }) => mediaId !== null).length)).toEqual([0, 0, 1, 2, 3])
  })

  it('registers no file of a part that is finished after the end', async () => {
    const added = vi.spyOn(media, 'addTemporary')
    const { promise: isStopped, resolve } = Promise.withResolvers<null>()
    work = () => {
      proof.stop()
      resolve(null)
      return Promise.resolve()
    }
    proof.begin('1', draft())
    await isStopped
    await proof.dispose()
    expect(jobs).toHaveLength(1)
    expect(added).not.toHaveBeenCalled()
  })

  it('tells its progress', async () => {
    work = ({ onProgress }) => {
      onProgress({ framesDone: 10, framesTotal: 40 } as Parameters<typeof onProgress>[0])
      return Promise.resolve()
    }
    proof.begin('1', draft())
    await ended()
    const shares = told.map(({ share }) => Math.round(share * 12))
    expect(shares).toEqual([0, 0, 1, 4, 5, 8, 9, 12])
    expect(new Set(told.map(({ id }) => id))).toEqual(new Set(['1']))
  })

  it('leaves out a part without a face, and fails if there is none at all', async () => {
    work = ({ range }) =>
      range?.parts[0]?.fromMs === 2250 ? Promise.reject(new MienError('no-face-in-video')) : Promise.resolve()
    proof.begin('1', draft())
    expect((await ended()).moments).toHaveLength(2)
    work = () => Promise.reject(new MienError('no-face-in-video'))
    told = []
    proof.begin('2', draft())
    expect((await ended()).error?.code).toBe('no-face-in-video')
  })

  it('is cancelled at once, says nothing more, and leaves no file', async () => {
    let stopped = false
    work = ({ signal }) =>
      jobs.length < 2
        ? Promise.resolve()
        : new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              stopped = true
              reject(new MienError('cancelled'))
            })
          })
    proof.begin('1', draft())
    await vi.waitFor(() => expect(jobs).toHaveLength(2))
    const mediaId = told.at(-1)?.moments[0]?.mediaId ?? ''
    expect(media.path(mediaId)).not.toBeNull()
    const before = told.length
    proof.stop()
    expect(stopped).toBe(true)
    expect(media.path(mediaId)).toBeNull()
    await vi.waitFor(() => expect(existsSync(inDir('proof'))).toBe(false))
    expect(told).toHaveLength(before)
  })

  it('replaces the one before', async () => {
    proof.begin('1', draft())
    await ended()
    told = []
    proof.begin('2', draft())
    expect(await ended()).toMatchObject({ id: '2', moments: [{}, {}, {}] })
    expect(existsSync(inDir('proof', '0', 'output.mp4'))).toBe(true)
  })

  it('uses what a scan has found after a short wait', async () => {
    known = { ...known, scanned: 0.4 }
    complete = () => new Promise(() => undefined)
    proof.begin('1', draft())
    expect((await ended()).moments.map(({ kind }) => kind)).toEqual(['clear', 'turned', 'clear'])
  })

  it('removes what an earlier run left, but not at the end of one without a proof', async () => {
    mkdirSync(inDir('proof'))
    await proof.dispose()
    expect(existsSync(inDir('proof'))).toBe(true)
    proof.stop()
    await vi.waitFor(() => expect(existsSync(inDir('proof'))).toBe(false))
  })

  it('is refused for an unconfirmed face, and for online services', () => {
    expect(() => proof.begin('1', draft({ profileId: 'remote' }))).toThrow('bad-argument')
    media.confirmFace(draft().faceId, false, 1)
    expect(() => proof.begin('1', draft())).toThrow('forbidden')
    expect(told).toEqual([])
  })
})
