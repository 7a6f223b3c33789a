import { renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { fingerprint, VersionedFile } from '../../../src/renderer/engine/media/versioned-file.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { jobFolder } from './job-folder.ts'

let drive: string
let path: string
let file: VersionedFile
let controller: AbortController
const url = 'media://item/film.mp4'

beforeEach(() => {
  drive = tempDir()
  path = join(drive, 'film.mp4')
  writeFileSync(path, 'abcdefghij')
  jobFolder(drive)
  controller = new AbortController()
  file = new VersionedFile(url, controller.signal)
})

const text = async (bytes: Promise<Uint8Array>): Promise<string> => new TextDecoder().decode(await bytes)

it('a file that is read in pieces gives its size, its pieces and all of it', async () => {
  expect(await file.size()).toBe(10)
  expect(await text(file.read(2, 5))).toBe('cde')
  expect(await text(file.all())).toBe('abcdefghij')
  await file.unchanged()
})

it.each<[string, () => void]>([
  ['written over', () => writeFileSync(path, 'ABCDEFGHIJ')],
  [
    'replaced by another',
    () => {
      writeFileSync(join(drive, 'other'), 'ABCDEFGHIJ')
      // Two files of the same length that are written within a tick of the clock are told apart by nothing.
      utimesSync(join(drive, 'other'), 7, 7)
      renameSync(join(drive, 'other'), path)
    },
  ],
  ['appended to', () => writeFileSync(path, 'klm', { flag: 'a' })],
  ['cut short', () => truncateSync(path, 3)],
  ['emptied', () => truncateSync(path, 0)],
  ['touched', () => utimesSync(path, 1, 1)],
])('a file that is read in pieces is noticed to be %s', async (_what, change) => {
  await file.read(0, 2)
  const before = await fingerprint(url, controller.signal)
  change()
  await expect(file.read(4, 8)).rejects.toMatchObject({ code: 'file-changed' })
  await expect(file.unchanged()).rejects.toMatchObject({ code: 'file-changed' })
  expect(await fingerprint(url, controller.signal)).not.toBe(before)
})

it('a file that is read in pieces is told to be out of reach when its drive goes, and goes on when it is back', async () => {
  await file.read(0, 2)
  renameSync(drive, `${drive}-away`)
  await expect(file.read(4, 8)).rejects.toMatchObject({ code: 'file-unreachable' })
  // What was read is still of one file.
  await file.unchanged()
  renameSync(`${drive}-away`, drive)
  expect(await text(file.read(4, 8))).toBe('efgh')
})

it('a file that is read in pieces is told to be out of reach when the drive fails in the middle of a piece', async () => {
  await file.size()
  const { fetch } = globalThis
  const failing = () => new ReadableStream({ start: (to) => to.error(new Error('EIO: i/o error, read')) })
  vi.stubGlobal('fetch', async (address: string, init?: RequestInit) =>
    init?.method === 'HEAD' ? fetch(address, init) : new Response(failing(), { status: 206 }),
  )
  await expect(file.read(0, 8)).rejects.toMatchObject({ code: 'file-unreachable' })
})

it('a file that is read in pieces is not called lost when nobody wants it any more', async () => {
  await file.size()
  vi.stubGlobal('fetch', () => {
    controller.abort()
    return Promise.reject(new TypeError('gone'))
  })
  await expect(file.read(0, 2)).rejects.toMatchObject({ name: 'AbortError' })
})
