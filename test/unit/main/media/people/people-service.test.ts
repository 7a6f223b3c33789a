import type { DatabaseSync } from 'node:sqlite'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { scanVersion, type Person, type Split, type VideoPeople } from '@shared/people/people.ts'
import { pieceId } from '@shared/people/split.ts'
import { MediaStore } from '../../../../../src/main/media/media-store.ts'
import { fingerprintOf } from '../../../../../src/main/media/people/fingerprint.ts'
import { PeopleService } from '../../../../../src/main/media/people/people-service.ts'
import { PeopleStore } from '../../../../../src/main/media/people/people-store.ts'
import { clip, FakeScanner, scanOf } from '../../../../fixtures/people.ts'
import { video } from '../../../../fixtures/tasks.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

const dayMs = 86_400_000

const inDir = tempPaths()
let db: DatabaseSync
let media: MediaStore
let engine: FakeScanner
let people: PeopleService
let now: number

function open(): void {
  db = tempLibrary(inDir())
  media = new MediaStore(db)
  people = new PeopleService({
    ...{ media, engine, log: () => undefined, now: () => now },
    store: new PeopleStore(db),
    dir: inDir('people'),
  })
}
async function reopen(): Promise<void> {
  await people.dispose()
  db.close()
  open()
}
/** Adds a video with this content; returns its media id. */
function add(id: string, content: string, name = `${id}.mp4`): string {
  const path = inDir(name)
  writeFileSync(path, content)
  media.addVideo(path, { ...video, id, name })
  return id
}

/** Adds a video whose people were found. */
async function scanned(): Promise<string> {
  const id = add('a', 'a film')
  await people.complete(id)
  return id
}

const correct = (id: string, list: Person[], splits: Split[] = []): Promise<VideoPeople> =>
  people.correct(id, { people: list, splits })

beforeEach(() => {
  now = 1000 * dayMs
  engine = new FakeScanner()
  open()
})
afterEach(() => people.dispose())

const readFace = (id = ''): string => readFileSync(media.path(id) ?? '', 'utf8')
const person = (id: string, ...clipIds: number[]): Person => ({ id, name: null, clipIds })
const merged: Person[] = [{ id: 'p1', name: 'Ada', clipIds: [0, 1, 2] }]

describe('the people of a video', () => {
  it('are found by one scan, whose faces can be shown', async () => {
    const id = add('a', 'a film')
    engine.holds = true
    const nothing = { people: [], clips: [], splits: [], moments: [] }
    expect(await people.of(id)).toEqual({ ...nothing, videoId: id, scanned: 0, isCorrected: false, wasChanged: false })
    await vi.waitFor(() => expect(engine.running).toBe(1))
    engine.go()
    const found = await people.complete(id)
    expect(found.people).toEqual([person('p1', 0, 2), person('p2', 1)])
    expect(found).toMatchObject({ scanned: 1, isCorrected: false })
    expect(found.clips.map(({ id: clipId, fromMs, toMs }) => [clipId, fromMs, toMs])).toEqual([
      [0, 0, 2000],
      [1, 0, 3000],
      [2, 4000, 6000],
    ])
    expect(found.clips.map(({ faceId }) => readFace(faceId))).toEqual(['face 0', 'face 1', 'face 2'])
  })

  it('are kept for the content, under any name and after a restart', async () => {
    const first = await people.complete(add('a', 'a film'))
    await reopen()
    const again = await people.of(add('b', 'a film', 'moved.mp4'))
    expect(again).toMatchObject({ scanned: 1, people: first.people })
    expect(engine.scanned).toHaveLength(1)
    expect(again.clips.every(({ faceId }) => existsSync(media.path(faceId) ?? ''))).toBe(true)
  })

  it('are nobody where there is nobody, and thirty where there are thirty', async () => {
    engine.found = scanOf()
    expect(await people.complete(add('a', 'a landscape'))).toMatchObject({ people: [], clips: [], scanned: 1 })
    engine.found = scanOf(...Array.from({ length: 30 }, (_, id) => [clip(id, 0, 6000 - id)]))
    const found = await people.complete(add('b', 'a crowd'))
    expect(found.people.map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, at) => `p${String(at + 1)}`))
  })

  it('are told while the scan runs, at most a few times a second, with ids that stay', async () => {
    const told: VideoPeople[] = []
    people.onChanged((change) => told.push(change))
    engine.parts = [1000, 1200, 1400].map((toMs) => ({ ...scanOf([clip(1, 0, toMs)]), scannedMs: 1500 }))
    const { people: found } = await people.complete(add('a', 'a film'))
    expect(told.map(({ scanned }) => scanned)).toEqual([0.25, 1])
    // Clip 1 was there first, of a person who isn't the most prominent after all. Nobody saw the later parts.
    expect(told[0]?.people).toEqual([person('p1', 1)])
    expect(found).toEqual([person('p2', 0, 2), person('p1', 1)])
  })

  it('are scanned one video after the other', async () => {
    await Promise.all([people.complete(add('a', 'one')), people.complete(add('b', 'two'))])
    expect(engine.scanned).toHaveLength(2)
    expect(engine.maxRunning).toBe(1)
  })

  it('are scanned again after a stop, and only once for two media of one content', async () => {
    engine.holds = true
    const [a, b] = [add('a', 'a film'), add('b', 'a film', 'copy.mp4')]
    await Promise.all([people.of(a), people.of(b)])
    await vi.waitFor(() => expect(engine.running).toBe(1))
    people.stop(a)
    expect(engine.aborted).toBe(0)
    people.stop(b)
    expect(engine.aborted).toBe(1)
    engine.holds = false
    expect(await people.complete(b)).toMatchObject({ scanned: 1 })
    expect(engine.scanned).toHaveLength(2)
  })

  it('are not looked for in a video that left before its file was read', async () => {
    const id = add('a', 'a film')
    const asked = people.of(id)
    people.stop(id)
    expect(await asked).toMatchObject({ people: [], scanned: 0 })
    expect(engine.scanned).toEqual([])
  })

  it('start again after an interrupted scan', async () => {
    engine.holds = true
    const id = add('a', 'a film')
    await people.of(id)
    await reopen()
    engine.holds = false
    expect(await people.complete(id)).toMatchObject({ scanned: 1 })
  })

  it('come with the reason when the scan fails, and are looked for again when asked', async () => {
    engine.error = new MienError('video-damaged')
    const told = vi.fn()
    people.onChanged(told)
    const id = add('a', 'a film')
    await expect(people.complete(id)).rejects.toMatchObject({ code: 'video-damaged' })
    expect(told).toHaveBeenLastCalledWith(expect.objectContaining({ error: { code: 'video-damaged', details: {} } }))
    engine.error = null
    expect(await people.complete(id)).not.toHaveProperty('error')
  })

  it('are nobody in a video that was never opened here', async () => {
    media.addVideo(inDir('nowhere'), { ...video, id: 'far', sizeBytes: null })
    expect(await people.of('far')).toMatchObject({ people: [], scanned: 1 })
    await expect(correct('far', [])).rejects.toMatchObject({ code: 'people-unfinished' })
  })

  it('are not there without the file', async () => {
    const id = add('a', 'a film')
    rmSync(inDir('a.mp4'))
    await expect(people.of(id)).rejects.toMatchObject({ code: 'file-missing' })
    await expect(people.of('other')).rejects.toMatchObject({ code: 'not-found' })
  })

  it('are looked for again when the folder with their faces is gone', async () => {
    const id = await scanned()
    await correct(id, merged)
    rmSync(inDir('people'), { recursive: true })
    expect(await people.complete(id)).toMatchObject({ people: merged, isCorrected: true })
    expect(engine.scanned).toHaveLength(2)
  })
})

describe('corrections', () => {
  it('are kept with the content, and can be dropped', async () => {
    const id = add('a', 'a film')
    const { people: found } = await people.complete(id)
    expect(await correct(id, merged)).toMatchObject({ people: merged, isCorrected: true })
    await reopen()
    expect(await people.of(add('b', 'a film', 'b.mp4'))).toMatchObject({ people: merged, isCorrected: true })
    expect(await people.reset('b')).toMatchObject({ people: found, isCorrected: false })
  })

  it('made while the scan runs are kept, with what it finds of the same people', async () => {
    people.onChanged(() => undefined)
    engine.holds = true
    engine.parts = [scanOf([clip(0, 0, 2000)], [clip(1, 0, 3000)])]
    const id = add('a', 'a film')
    await people.of(id)
    await vi.waitFor(() => expect(engine.running).toBe(1))
    const both: Person[] = [{ id: 'p2', name: 'Ada', clipIds: [1, 0] }]
    const corrected = await correct(id, both)
    expect(corrected).toMatchObject({ people: both, isCorrected: true })
    expect(corrected.scanned).toBeLessThan(1)
    engine.go()
    const whole = [{ ...both[0], clipIds: [1, 0, 2] }]
    expect(await people.complete(id)).toMatchObject({ scanned: 1, people: whole, isCorrected: true })
  })

  it('are refused with unknown clips, and before anything is known', async () => {
    const id = add('a', 'a film')
    await expect(correct(id, [])).rejects.toMatchObject({ code: 'people-unfinished' })
    await people.complete(id)
    await expect(correct(id, [person('p1', 77)])).rejects.toMatchObject({ code: 'bad-argument' })
  })

  it('stay with the earlier content when the file is replaced', async () => {
    const id = await scanned()
    await correct(id, merged)
    writeFileSync(inDir('a.mp4'), 'another cut of it')
    await expect(correct(id, merged)).rejects.toMatchObject({ code: 'people-unfinished' })
    expect(await people.complete(id)).toMatchObject({ isCorrected: false, wasChanged: true })
    expect(engine.scanned).toHaveLength(2)
    expect(await people.of(add('b', 'a film'))).toMatchObject({ people: merged, isCorrected: true, wasChanged: false })
  })

  it('that do not fit the scan of a later version are put aside', async () => {
    const id = await scanned()
    await correct(id, merged)
    db.exec('UPDATE people SET scan_version = 0')
    expect(await people.complete(id)).toMatchObject({ people: merged, isCorrected: true })
    db.exec('UPDATE people SET scan_version = 0')
    engine.found = scanOf([clip(0, 0, 2500), clip(1, 0, 3000), clip(2, 4000, 6000)])
    expect(await people.complete(id)).toMatchObject({ isCorrected: false })
    const [aside] = JSON.parse(String(db.prepare('SELECT aside FROM people').get()?.['aside'])) as unknown[]
    expect(aside).toMatchObject({ version: 0, people: merged, scan: [{ id: 'p1' }, { id: 'p2' }] })
  })
})

describe('a split clip', () => {
  const splits = [{ clipId: 0, atMs: 1200 }]
  const rest = pieceId({ clipId: 0, atMs: 1200 })
  const other = [person('p1', 0, 2), person('p2', 1), person('new', rest)]

  it('is two clips from there on, with pictures of their own, also after a restart and under another name', async () => {
    const id = await scanned()
    await correct(id, other, splits)
    await reopen()
    const again = await people.of(add('b', 'a film', 'b.mp4'))
    expect(again).toMatchObject({ people: other, splits, isCorrected: true })
    const clips = again.clips.map((each) => [each.id, each.fromMs, each.toMs])
    expect(clips).toEqual([[0, 0, 1200], [1, 0, 3000], [rest, 1200, 2000], [2, 4000, 6000]]) // prettier-ignore
    expect(again.clips.map(({ faceId }) => readFace(faceId))).toEqual([
      'face at 600',
      'face 1',
      'face at 1600',
      'face 2',
    ])
  })

  it('is swapped up to there, and stays from there on', async () => {
    const id = add('a', 'a film')
    engine.found = scanOf([{ ...clip(0, 0, 2000), places: [[0, 100, 100, 80], [1000, 200, 100, 80], [2000, 200, 300, 80]] }]) // prettier-ignore
    await people.complete(id)
    await correct(id, [person('p1', 0), person('new', rest)], splits)
    const { people: cast, stay } = people.cast(id, ['p1'])
    expect(cast[0]?.clips).toEqual([
      { id: 0, fromMs: 0, toMs: 1200, places: [[0, 100, 100, 80], [1000, 200, 100, 80], [1200, 200, 140, 80]] },
    ]) // prettier-ignore
    expect(stay).toEqual([{ id: rest, fromMs: 1200, toMs: 2000, places: [[1200, 200, 140, 80], [2000, 200, 300, 80]] }]) // prettier-ignore
    expect(people.places(id).clips.map((each) => each.id)).toEqual([0, rest])
  })

  it('is whole again after an undo, and takes its moments along', async () => {
    const id = add('a', 'a film')
    engine.found = {
      ...engine.found,
      people: engine.found.people.map((person, at) =>
        at > 0 ? person : { ...person, moments: [{ atMs: 1500, clipId: 0, kind: 'fast', score: 1 }] },
      ),
    }
    const { people: found } = await people.complete(id)
    expect((await correct(id, other, splits)).moments).toMatchObject([{ clipId: rest }])
    const whole = await correct(id, found)
    expect(whole).toMatchObject({ isCorrected: false, splits: [], moments: [{ clipId: 0 }] })
    expect(whole.clips.map((each) => each.id)).toEqual([0, 1, 2])
  })

  it('shows the face of the whole clip if no picture could be taken', async () => {
    const id = await scanned()
    engine.error = new MienError('video-damaged')
    const { clips } = await correct(id, other, splits)
    expect(readFace(clips[0]?.faceId)).toBe('face 0')
  })

  it.each<[string, Split[]]>([
    ['at its start', [{ clipId: 1, atMs: 0 }]],
    ['after its end', [{ clipId: 1, atMs: 3000 }]],
    ['of an unknown clip', [{ clipId: 7, atMs: 100 }]],
    ['twice at one time', [...splits, ...splits]],
  ])('is refused %s', async (_where, wrong) => {
    const id = add('a', 'a film')
    const { people: found } = await people.complete(id)
    await expect(correct(id, found, wrong)).rejects.toMatchObject({ code: 'bad-argument' })
  })
})

describe('the cast of a swap', () => {
  it('has each person’s clips in order, and the face of the longest', async () => {
    const id = await scanned()
    await correct(id, [person('p1', 0), { ...person('p2', 2, 1), name: 'Ada' }, person('p3')])
    const { people: cast, stay } = people.cast(id, ['p2'])
    const [ada] = cast
    expect(stay.map(({ id: clipId }) => clipId)).toEqual([0])
    expect(ada).toMatchObject({ id: 'p2', name: 'Ada', clips: [{ id: 1 }, { id: 2 }] })
    expect(readFace(ada?.faceId)).toBe('face 1')
    for (const unknown of ['p3', 'p9'])
      expect(() => people.cast(id, ['p1', unknown])).toThrow(
        expect.objectContaining({ body: { code: 'person-unknown', details: { person: unknown } } }),
      )
  })

  it('needs a complete scan of the file as it is now', async () => {
    const id = add('a', 'a film')
    expect(() => people.cast(id, ['p1'])).toThrow(expect.objectContaining({ code: 'people-unfinished' }))
    await people.complete(id)
    writeFileSync(inDir('a.mp4'), 'another cut of it')
    expect(() => people.cast(id, ['p1'])).toThrow(expect.objectContaining({ code: 'file-changed' }))
  })
})

it('forgets people whose video was not seen for 90 days, unless a swap shows their faces', async () => {
  await people.complete(add('a', 'a film'))
  await people.complete(add('b', 'another film'))
  media.addVideo(inDir('a.mp4'), { ...video, id: 'a2' })
  people.cast('a', ['p1'])
  mkdirSync(inDir('people', 'left-over'))
  now += 60 * dayMs
  await people.tidy()
  expect(readdirSync(inDir('people'))).toHaveLength(2)
  now += 40 * dayMs
  await people.tidy()
  expect(readdirSync(inDir('people'))).toEqual([`${await fingerprintOf(inDir('a.mp4'))}-${String(scanVersion)}`])
})

it('recognises a file by its size and its first, middle and last MiB', async () => {
  const path = inDir('large')
  const bytes = Buffer.alloc(8 * 1024 * 1024, 1)
  const prints = new Set<string>()
  const print = async (change: (data: Buffer) => Buffer): Promise<void> => {
    writeFileSync(path, change(Buffer.from(bytes)))
    prints.add(await fingerprintOf(path))
  }
  const at = (index: number) => (data: Buffer) => (data.writeUInt8(2, index), data)
  const last = bytes.length - 1
  await print((data) => data)
  await print(at(0))
  await print(at(4 * 1024 * 1024))
  await print(at(last))
  await print((data) => data.subarray(1))
  expect(prints.size).toBe(5)
  await print((data) => data)
  await print(at(2 * 1024 * 1024))
  expect(prints.size).toBe(5)
})
