import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { findMedia, mediaInFolder, onlyFile } from '../../../../src/main/media/find-media.ts'
import { tempPaths } from '../../../fixtures/temp-dir.ts'

const inDir = tempPaths()
const put = (...files: string[]): void => {
  for (const file of files) writeFileSync(inDir(file), 'x')
}
const names = (paths: readonly string[]): string[] => paths.map((path) => basename(path))

it('finds files in folders within folders, each once, and lists what can’t be used', async () => {
  mkdirSync(inDir('deep', 'deeper'), { recursive: true })
  put('b.jpg', 'a.png', 'deep/clip.mp4', 'deep/deeper/c.webp', 'notes.txt', '.hidden.jpg')
  symlinkSync(inDir(), inDir('deep', 'circle'))
  symlinkSync(inDir('b.jpg'), inDir('z-link.jpg'))
  symlinkSync(inDir('nowhere'), inDir('broken.jpg'))
  // What can't be used doesn't count for the limit.
  const found = await findMedia([inDir(), inDir('b.jpg'), inDir('gone.mp4')], 4)
  const usable = found.usable.map(({ path, kind }) => `${basename(path)} ${kind}`)
  expect(usable).toEqual(['a.png face', 'b.jpg face', 'clip.mp4 video', 'c.webp face'])
  expect(names(found.unusable)).toEqual(['broken.jpg', 'notes.txt', 'gone.mp4'])
  expect(found.isCutOff).toBe(false)
})

it('stops at its limit', async () => {
  put('1.jpg', '2.jpg', '3.jpg')
  const found = await findMedia([inDir()], 2)
  expect(found.usable).toHaveLength(2)
  expect(found.isCutOff).toBe(true)
})

it('a folder is looked into, but not deeper, and without hidden files', async () => {
  put('b.JPG', 'a.heic', 'clip.mp4', 'notes.txt', '._clip.mp4')
  mkdirSync(inDir('more.mp4'))
  expect(await mediaInFolder(inDir())).toEqual({
    face: [inDir('a.heic'), inDir('b.JPG')],
    video: [inDir('clip.mp4')],
  })
})

it('a file is no folder, and what is not there is left to whoever reads it', async () => {
  put('clip.mp4')
  expect(await mediaInFolder(inDir('clip.mp4'))).toBeNull()
  expect(await onlyFile(inDir('gone.mp4'), 'video')).toBe(inDir('gone.mp4'))
})

it('a folder stands for its only file of a kind', async () => {
  put('face.png', 'one.mp4', 'two.mp4')
  expect(await onlyFile(inDir(), 'face')).toBe(inDir('face.png'))
  await expect(onlyFile(inDir(), 'video')).rejects.toMatchObject({
    code: 'file-is-folder',
    details: { name: basename(inDir()), pictures: 1, videos: 2 },
  })
})
