/** Swaps of parts, with a real library and real files; the engine writes a text. */
import { existsSync, linkSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ReRenderResult } from '@shared/engine/engine.ts'
import { MienError } from '@shared/errors.ts'
import type { PartChange, Task } from '@shared/tasks/task.ts'
import { defaultOptions } from '@shared/options/swap-options.ts'
import type { ReRenderInput } from '../../../../../src/main/engine/host/engine-host.ts'
import { MediaStore } from '../../../../../src/main/media/media-store.ts'
import type { ResultSigner } from '../../../../../src/main/provenance/result-signer.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import type { TaskService } from '../../../../../src/main/swaps/task-service.ts'
import { VersionService } from '../../../../../src/main/swaps/versions/version-service.ts'
import { swap } from '../../../../fixtures/fake-tasks.ts'
import { addMedia, makeTaskService, noSigner } from '../../../../fixtures/task-service.ts'
import { face, video } from '../../../../fixtures/tasks.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

const first = 'the first file'
const change = (fromMs = 0, faces: PartChange['faces'] = [0]): PartChange => ({
  part: { fromMs, toMs: fromMs + 1000 },
  faces,
  options: { ...defaultOptions },
})

const inDir = tempPaths()
let store: TaskStore
let media: MediaStore
let tasks: TaskService
let task: Task
let asked: ReRenderInput[]
/** What the engine writes. */
let text: string
let during: () => Promise<void> | void

beforeEach(() => {
  const db = tempLibrary(inDir())
  store = new TaskStore(db, () => undefined)
  media = new MediaStore(db)
  addMedia(media, inDir())
  const client = (): never => {
    throw new Error('no service is asked here')
  }
  tasks = makeTaskService({ db, dir: inDir(), media, services: { client } })
  mkdirSync(inDir('results'))
  writeFileSync(file(), first)
  const one = swap('task-1', 1000, { face, video })
  if (!one.result) throw new Error('it is finished')
  task = {
    ...one,
    result: { ...one.result, mediaId: media.addDerived(file()), sizeBytes: first.length, encoder: 'hardware' },
  }
  store.put(task)
  asked = []
  text = 'the second file'
  during = () => undefined
})

const file = (): string => inDir('results', 'Clip.mp4')
const now = (): Task => tasks.get(task.id)
const files = (): string[] => {
  const folder = inDir('versions', task.id)
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

async function reRender(job: ReRenderInput): Promise<ReRenderResult> {
  asked.push(job)
  await during()
  writeFileSync(join(job.dir, 'joined.mp4'), text)
  return { sizeBytes: text.length, firstFrame: 0, quality: [{ kind: 'outside', frames: 2 }], weak: [] }
}

function versions(deps: Partial<ConstructorParameters<typeof VersionService>[0]> = {}): VersionService {
  return new VersionService({
    ...{ tasks, media, engine: { reRender }, methods: { of: () => Promise.resolve(null) } },
    signer: noSigner,
    ...{ clipsOf: () => ({ cast: {}, stay: [] }), has: (id) => store.has(id) },
    ...{ dir: inDir('versions'), log: () => undefined, now: () => 7000, ...deps },
  })
}

describe('a part of a finished swap', () => {
  it('is swapped again: the file is replaced, and the one before is kept', async () => {
    const service = versions()
    const progress: (number | null)[] = []
    service.onProgress(({ share }) => void progress.push(share))
    await service.make(task.id, change(2000))
    expect(asked).toMatchObject([
      {
        ...{ video: inDir('clip.mp4'), result: file(), part: { fromMs: 2000, toMs: 3000 }, encoder: 'hardware' },
        cast: [{ pictures: [inDir('face.jpg')], clips: null }],
      },
    ])
    expect(readFileSync(file(), 'utf8')).toBe(text)
    expect(now()).toMatchObject({ versions: { current: 2, placing: null }, result: { sizeBytes: text.length } })
    expect(files()).toEqual(['1.mp4', '2.mp4'])
    expect(readdirSync(inDir('results'))).toEqual(['Clip.mp4'])
    expect(progress).toEqual([null])
  })

  it('can be left as in the original, and gone back from', async () => {
    const service = versions()
    await service.make(task.id, change(0, [null]))
    expect(asked[0]?.cast).toEqual([])
    expect(now().versions?.list.at(-1)?.change?.kind).toBe('left')
    await service.goBack(task.id, 1)
    expect(readFileSync(file(), 'utf8')).toBe(first)
    expect(now()).toMatchObject({ versions: { current: 1 }, result: { sizeBytes: first.length } })
    await service.goBack(task.id, 2)
    expect(readFileSync(file(), 'utf8')).toBe(text)
    await expect(service.goBack(task.id, 3)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('can get the face of another picture, if the user may use it', async () => {
    const path = inDir('other.jpg')
    writeFileSync(path, 'picture')
    media.addFace(path, 'other hash', { ...face, id: 'other', name: 'other.jpg' })
    await expect(versions().make(task.id, change(0, ['other']))).rejects.toMatchObject({ code: 'forbidden' })
    await expect(versions().make(task.id, change(0, ['nobody']))).rejects.toMatchObject({ code: 'not-found' })
    media.confirmFace('other', true, 1)
    await versions().make(task.id, change(0, ['other']))
    expect(asked[0]?.cast).toEqual([{ pictures: [path], clips: null }])
  })

  it('is signed before it takes the place of the file, and the swap says so', async () => {
    const sign: ResultSigner['sign'] = ({ source, target, change: part }) => {
      writeFileSync(target, `${readFileSync(source, 'utf8')}, signed`)
      expect(part).toEqual({ kind: 'swapped', startMs: 2000, endMs: 3000 })
      return Promise.resolve('signed')
    }
    await versions({ signer: { sign } }).make(task.id, change(2000))
    expect(readFileSync(file(), 'utf8')).toBe(`${text}, signed`)
    expect(now().result).toMatchObject({ credentials: 'signed', sizeBytes: text.length + 8 })
    await versions().make(task.id, change(2000))
    expect(now().result).toMatchObject({ credentials: 'off', sizeBytes: text.length })
    await versions().goBack(task.id, 2)
    expect(now().result?.credentials).toBe('signed')
    expect(files()).toEqual(['1.mp4', '2.mp4', '3.mp4'])
  })

  it('keeps five files at most', async () => {
    const service = versions()
    for (let count = 2; count <= 7; count += 1) {
      text = `file ${String(count)}`
      await service.make(task.id, change())
    }
    expect(files()).toEqual(['1.mp4', '4.mp4', '5.mp4', '6.mp4', '7.mp4'])
    await service.goBack(task.id, 1)
    expect(readFileSync(file(), 'utf8')).toBe(first)
  })

  it('is one after the other, from what the one before made', async () => {
    const service = versions()
    let running = 0
    during = async () => {
      running += 1
      expect(running).toBe(1)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
    }
    await Promise.all([service.make(task.id, change()), service.make(task.id, change(3000))])
    expect(now().versions?.list.map(({ number }) => number)).toEqual([1, 2, 3])
  })

  it('changes nothing when it is cancelled or fails', async () => {
    const service = versions()
    during = () => service.stop(task.id)
    await expect(service.make(task.id, change())).rejects.toMatchObject({ code: 'cancelled' })
    during = () => {
      throw new MienError('no-face-in-video', { parts: 1 })
    }
    await expect(service.make(task.id, change())).rejects.toMatchObject({ code: 'no-face-in-video' })
    expect(now().versions).toBeNull()
    expect(readFileSync(file(), 'utf8')).toBe(first)
    expect(files()).toEqual([])
    during = () => undefined
    await service.make(task.id, change())
    expect(now().versions?.current).toBe(2)
  })

  const changed = { code: 'part-unsupported', details: { reason: 'changed' } }
  const missing = (name: string) => ({ code: 'file-missing', details: { name } })
  const withdraw = () => media.consents.withdraw(media.faceKey(face.id), 1)
  it.each<[string, () => void, object]>([
    ['the file was changed', () => writeFileSync(file(), 'edited'), changed],
    ['the file is gone', () => rmSync(file()), missing('Launch day interview.mp4')],
    ['the video is gone', () => rmSync(inDir('clip.mp4')), missing('clip.mp4')],
    ['the video was changed', () => writeFileSync(inDir('clip.mp4'), 'other'), changed],
    ['the consent was withdrawn', withdraw, { code: 'consent-withdrawn' }],
  ])('is refused if %s', async (_what, happen, error) => {
    happen()
    const before = existsSync(file()) ? readFileSync(file(), 'utf8') : null
    await expect(versions().make(task.id, change())).rejects.toMatchObject(error)
    expect(existsSync(file()) ? readFileSync(file(), 'utf8') : null).toBe(before)
    expect(asked).toEqual([])
  })

  it('is refused if the file is changed meanwhile', async () => {
    during = () => writeFileSync(file(), 'as long as it!')
    await expect(versions().make(task.id, change())).rejects.toMatchObject(changed)
    expect(readFileSync(file(), 'utf8')).toBe('as long as it!')
  })

  it('takes its files along when the swap is deleted', async () => {
    const service = versions()
    await service.make(task.id, change())
    tasks.remove([task.id])
    await service.start()
    expect(files()).toEqual(['1.mp4', '2.mp4'])
    const removed = store.get(task.id)
    if (removed) store.purge(removed)
    await service.start()
    expect(existsSync(inDir('versions', task.id))).toBe(false)
  })
})

/** Everything after this point didn't happen. */
class Killed extends Error {}

describe('after a kill', () => {
  /** A service that ends at the record of what happens to the files: before it is stored, or after. */
  function mortal(type: string, when: 'before' | 'after'): VersionService {
    let isDead = false
    const live = <T>(work: () => T): T => {
      if (isDead) throw new Killed()
      return work()
    }
    return versions({
      tasks: {
        get: (id) => live(() => tasks.get(id)),
        onDelta: () => () => undefined,
        recordVersion: (id, action) =>
          live(() => {
            if (action.type !== type) return tasks.recordVersion(id, action)
            isDead = true
            if (when === 'after') tasks.recordVersion(id, action)
            throw new Killed()
          }),
      },
    })
  }

  it.each([
    ['before it is stored that a version is placed', 'version-placing', 'before', first],
    ['before the file is in its place', 'version-placing', 'after', 'the second file'],
    ['before it is stored that it is', 'version-placed', 'before', 'the second file'],
    ['before everything is removed that is not needed', 'version-placed', 'after', 'the second file'],
  ] as const)('%s, file and record are those of one version', async (_what, type, when, expected) => {
    await expect(mortal(type, when).make(task.id, change())).rejects.toThrow()
    expect([first, text]).toContain(readFileSync(file(), 'utf8'))
    // A copy that a kill interrupted.
    writeFileSync(inDir('results', `mien-${task.id}.part`), 'half')
    const service = versions()
    await service.start()
    expect(readFileSync(file(), 'utf8')).toBe(expected)
    expect(now().result?.sizeBytes).toBe(expected.length)
    expect(now().versions?.placing ?? null).toBeNull()
    const isNew = expected !== first
    expect(now().versions?.current ?? 1).toBe(isNew ? 2 : 1)
    expect(files()).toEqual(isNew ? ['1.mp4', '2.mp4'] : [])
    await service.make(task.id, change())
    await service.goBack(task.id, 1)
    expect(readFileSync(file(), 'utf8')).toBe(first)
  })

  it('does not replace a file that the user changed since', async () => {
    await expect(mortal('version-placing', 'after').make(task.id, change())).rejects.toThrow()
    writeFileSync(`${file()}.new`, 'edited by the user')
    rmSync(file())
    linkSync(`${file()}.new`, file())
    await versions().start()
    expect(readFileSync(file(), 'utf8')).toBe('edited by the user')
    expect(now()).toMatchObject({ versions: null, result: { sizeBytes: first.length } })
  })
})
