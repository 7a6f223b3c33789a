import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it, beforeEach } from 'vitest'
import { findMedia, mediaInFolder, onlyFile } from '../../../../src/main/media/find-media.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

let dir: string
beforeEach(() => {
  dir = tempDir()
})
const put = (...files: string[]): void => {
  for (const file of files) writeFileSync(join(dir, file), 'x')
}
const names = (paths: readonly string[]): string[] => paths.map((path) => basename(path))

it('finds files in folders within folders, each once, and lists what can’t be used', async () => {
  mkdirSync(join(dir, 'deep', 'deeper'), { recursive: true })
  put('b.jpg', 'a.png', 'deep/clip.mp4', 'deep/deeper/c.webp', 'notes.txt', '.hidden.jpg')
  symlinkSync(dir, join(dir, 'deep', 'circle'))
  symlinkSync(join(dir, 'b.jpg'), join(dir, 'z-link.jpg'))
  symlinkSync(join(dir, 'nowhere'), join(dir, 'broken.jpg'))
  // What can't be used doesn't count for the limit.
  const found = await findMedia([dir, join(dir, 'b.jpg'), join(dir, 'gone.mp4')], 4)
  const usable = found.usable.map(({ path, kind }) => `${basename(path)} ${kind}`)
  expect(usable).toEqual(['a.png face', 'b.jpg face', 'clip.mp4 video', 'c.webp face'])
  expect(names(found.unusable)).toEqual(['broken.jpg', 'notes.txt', 'gone.mp4'])
  expect(found.isCutOff).toBe(false)
})

it('stops at its limit', async () => {
  put('1.jpg', '2.jpg', '3.jpg')
  const found = await findMedia([dir], 2)
  expect(found.usable).toHaveLength(2)
  expect(found.isCutOff).toBe(true)
})

it('a folder is looked into, but not deeper, and without hidden files', async () => {
  put('b.JPG', 'a.heic', 'clip.mp4', 'notes.txt', '._clip.mp4')
  mkdirSync(join(dir, 'more.mp4'))
  expect(await mediaInFolder(dir)).toEqual({
    face: [join(dir, 'a.heic'), join(dir, 'b.JPG')],
    video: [join(dir, 'clip.mp4')],
  })
})

it('a file is no folder, and what is not there is left to whoever reads it', async () => {
  put('clip.mp4')
  expect(await mediaInFolder(join(dir, 'clip.mp4'))).toBeNull()
  expect(await onlyFile(join(dir, 'gone.mp4'), 'video')).toBe(join(dir, 'gone.mp4'))
})

it('a folder stands for its only file of a kind', async () => {
  put('face.png', 'one.mp4', 'two.mp4')
  expect(await onlyFile(dir, 'face')).toBe(join(dir, 'face.png'))
  await expect(onlyFile(dir, 'video')).rejects.toMatchObject({
    code: 'file-is-folder',
    details: { name: basename(dir), pictures: 1, videos: 2 },
  })
})
