import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { mediaInFolder, onlyFile } from '../../../../src/main/media/find-media.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

let dir: string
beforeEach(() => {
  dir = tempDir()
})
const put = (...names: string[]): void => {
  for (const name of names) writeFileSync(join(dir, name), 'x')
}

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
