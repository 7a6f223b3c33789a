import type { DatabaseSync } from 'node:sqlite'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { FaceInspection, VideoInspection } from '@shared/engine/engine.ts'
import { MienError } from '@shared/errors.ts'
import { Intake, type Inspector } from '../../../../src/main/media/intake.ts'
import { MediaStore } from '../../../../src/main/media/media-store.ts'
import { folderName } from '../../../../src/main/machine/disk/files.ts'
import { describeFolder, folderToOpen } from '../../../../src/main/media/results-folder.ts'
import { nameFromAddress, parseVideoAddress } from '../../../../src/main/media/video-address.ts'
import { type FakeService, file } from '../../../fixtures/fake-service.ts'
import { face } from '../../../fixtures/tasks.ts'
import { tempPaths } from '../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../fixtures/temp-library.ts'
import { tempService } from '../../../fixtures/temp-service.ts'

const facesFound: FaceInspection = { width: 10, height: 20, faces: face.faces, flaws: [] }
const videoFound: VideoInspection = {
  kind: 'video',
  container: 'mp4',
  codec: 'avc',
  width: 10,
  height: 20,
  durationMs: 1000,
  fps: 25,
  frames: 25,
  audioCodec: null,
  bitrate: null,
  lostSound: [],
  missing: [],
  coverMs: 0,
  faces: [],
}

const inDir = tempPaths()
let db: DatabaseSync
let media: MediaStore
let intake: Intake
let server: FakeService
let downloads: (number | null)[]
let inspectFace: Inspector['inspectFace']
let faceViews: Inspector['faceViews']
let inspectVideo: (path: string, dir: string, signal?: AbortSignal) => Promise<VideoInspection>

beforeEach(async () => {
  db = tempLibrary(inDir())
  media = new MediaStore(db)
  downloads = []
  inspectFace = () => Promise.resolve(facesFound)
  faceViews = () => Promise.resolve({ people: [] })
  inspectVideo = () => Promise.resolve(videoFound)
  intake = new Intake({
    engine: {
      inspectFace: (path, to, signal, like) => inspectFace(path, to, signal, like),
      faceViews: (path, to) => faceViews(path, to),
      inspectVideo: (path, to, signal) => inspectVideo(path, to, signal),
    },
    media,
    dir: inDir('media'),
    fetch: globalThis.fetch,
    onDownload: (share) => downloads.push(share),
  })
  server = await tempService()
})

/** A video of people with so many views each. */
const views = (...counts: number[]): void => {
  faceViews = (_path, to) => {
    const people = counts.map((count, person) => Array.from({ length: count }, (_, at) => `view-${person}-${at}.jpg`))
    for (const file of people.flat()) writeFileSync(join(to, file), file)
    return Promise.resolve({ people })
  }
}
const leftOver = (): string[] => readdirSync(inDir('media'))

describe('taking media in', () => {
  it('lists a face under an id, with its thumbnail, unconfirmed', async () => {
    writeFileSync(inDir('a b.jpg'), 'pixels')
    const found = await intake.face(inDir('a b.jpg'))
    expect(found).toMatchObject({ name: 'a b.jpg', sizeBytes: 6, width: 10, confirmedAt: null })
    expect(media.path(found.id)).toBe(inDir('a b.jpg'))
    expect(media.path(found.thumbnailId)).toBe(inDir('media', found.id, 'face.jpg'))
  })

  it('keeps of the sample that it comes with Mien, and confirms nothing in the user’s name', async () => {
    writeFileSync(inDir('sample.jpg'), 'pixels')
    const found = await intake.face(inDir('sample.jpg'), { origin: 'sample' })
    expect(media.face(found.id)).toMatchObject({ origin: 'sample', confirmedAt: null })
    const own = await intake.face(inDir('sample.jpg'))
    expect(own).toMatchObject({ origin: null, confirmedAt: null })
  })

  it('keeps a pasted picture as a file', async () => {
    const path = await intake.writePasted(new Uint8Array([1, 2, 3]))
    const found = await intake.face(path, { name: 'Pasted picture' })
    expect(found).toMatchObject({ name: 'Pasted picture', sizeBytes: 3 })
  })

  it('says of a file that is no video what the engine found in it, with its name', async () => {
    writeFileSync(inDir('media.sh'), 'echo hello')
    inspectVideo = () => Promise.reject(new MienError('not-a-video', { found: 'text' }))
    const error = { code: 'not-a-video', details: { name: 'media.sh', found: 'text' } }
    await expect(intake.video(inDir('media.sh'))).rejects.toMatchObject(error)
    expect(leftOver()).toEqual([])
  })

  it('names an empty and a missing file', async () => {
    writeFileSync(inDir('empty.mov'), '')
    const refused = (code: string, name: string) => ({ code, details: { name } })
    await expect(intake.video(inDir('empty.mov'))).rejects.toMatchObject(refused('file-empty', 'empty.mov'))
    await expect(intake.face(inDir('gone.png'))).rejects.toMatchObject(refused('file-missing', 'gone.png'))
    await expect(intake.face(inDir())).rejects.toMatchObject({ code: 'file-is-folder' })
  })

  it('a newer reading of a slot stops an older one', async () => {
    writeFileSync(inDir('v.mp4'), 'x')
    const asked = Promise.withResolvers<undefined>()
    inspectVideo = (_path, _to, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new MienError('cancelled')))
        asked.resolve(undefined)
      })
    const first = expect(intake.video(inDir('v.mp4'))).rejects.toMatchObject({ code: 'cancelled' })
    await asked.promise
    inspectVideo = () => Promise.resolve(videoFound)
    await intake.video(inDir('v.mp4'))
    await first
  })
})

describe('a video by address', () => {
  it('is fetched into the data folder with progress', async () => {
    server.replies.set('GET /films/a%20b.mp4', file('film'))
    const found = await intake.address(`${server.baseUrl}/films/a%20b.mp4?sig=1`)
    expect(found).toMatchObject({ name: 'a b.mp4', sizeBytes: 4, address: `${server.baseUrl}/films/a%20b.mp4?sig=1` })
    expect(downloads.at(-1)).toBe(1)
  })

  it('that leads to a page is said so, and nothing is left', async () => {
    server.replies.set('GET /page', file('<html>', 'text/html'))
    const refused = { code: 'address-not-video', details: { host: new URL(server.baseUrl).host } }
    await expect(intake.address(`${server.baseUrl}/page`)).rejects.toMatchObject(refused)
    expect(leftOver()).toEqual([])
  })

  const unsafe = ['file:///etc/passwd', 'javascript:alert(1)', 'data:video/mp4;base64,AAAA', 'not an address', '']
  it.each(unsafe)('%j is no address of a video', (text) => {
    expect(() => parseVideoAddress(text)).toThrow(/address-invalid/)
  })

  it.each([
    ['https://a.example/x/clip.mp4', 'clip.mp4'],
    ['https://a.example/', 'video.mp4'],
    ['https://a.example/watch', 'watch.mp4'],
    ['https://a.example/..%2f..%2fetc%2fpasswd', '_.._etc_passwd.mp4'],
    ['https://a.example/%ff.mp4', 'video.mp4'],
  ])('%s is kept as %s', (address, name) => expect(nameFromAddress(new URL(address))).toBe(name))
})

describe('the results folder', () => {
  it('is called by its last two parts', () => {
    expect(folderName(join('/', 'Users', 'ada', 'Movies', 'Mien'))).toBe('Movies / Mien')
  })

  it('is opened only while it is a folder, and one that may be a program is shown in its own folder', async () => {
    expect(await folderToOpen(inDir())).toEqual({ path: inDir(), reveal: false })
    const bundle = inDir('Player.app')
    mkdirSync(bundle)
    expect(await folderToOpen(bundle)).toEqual({ path: bundle, reveal: true })
    writeFileSync(inDir('run.bat'), 'echo')
    await expect(folderToOpen(inDir('run.bat'))).rejects.toMatchObject({ code: 'folder-missing' })
    await expect(folderToOpen(inDir('gone'))).rejects.toMatchObject({ code: 'folder-missing' })
  })

  it('counts videos only', async () => {
    writeFileSync(inDir('one.mp4'), '12345')
    writeFileSync(inDir('two.webm'), '123')
    expect(await describeFolder(inDir(), true)).toMatchObject({ problem: null, videos: 2, bytes: 8 })
    expect(await describeFolder(inDir('not yet'), false)).toMatchObject({ problem: null, videos: 0 })
    expect(await describeFolder(inDir('gone'), true)).toMatchObject({ problem: 'folder-missing' })
  })
})

describe('a face from a video', () => {
  const path = (): string => inDir('selfie.mp4')
  beforeEach(() => {
    writeFileSync(path(), 'frames')
  })

  it('has the views of the person as pictures, without those that are covered or can’t be used', async () => {
    views(4)
    inspectFace = (view) =>
      view.endsWith('-2.jpg')
        ? Promise.reject(new MienError('face-turned-away'))
        : Promise.resolve({ ...facesFound, flaws: view.endsWith('-0.jpg') ? ['covered'] : [] })
    const faces = await intake.faceFile(path())
    expect(faces.map(({ name }) => name)).toEqual(['selfie.mp4 (2)', 'selfie.mp4 (3)'])
    expect(faces.map(({ id }) => basename(media.path(id) ?? ''))).toEqual(['view-0-1.jpg', 'view-0-3.jpg'])
  })

  it('is asked about if there are several people', async () => {
    views(2, 1)
    const refused = { body: { code: 'several-people', details: { name: 'selfie.mp4', count: 2 } } }
    await expect(intake.faceFile(path())).rejects.toMatchObject(refused)
    const [, other = []] = await intake.videoFaces(path())
    expect(await intake.views(other, 'selfie.mp4')).toMatchObject([{ name: 'selfie.mp4' }])
  })

  it('is refused if no view can be used, with the reason of the last', async () => {
    views(1)
    inspectFace = () => Promise.reject(new MienError('face-covered', { part: 'eyes' }))
    await expect(intake.faceFile(path())).rejects.toMatchObject({ body: { code: 'face-covered' } })
  })
})
