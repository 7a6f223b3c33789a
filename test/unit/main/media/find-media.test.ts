import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it, beforeEach } from 'vitest'
import { findMedia, mediaInFolder, onlyFile } from '../../../../src/main/media/find-media.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

const names = (paths: readonly string[]): string[] => paths.map((path) => basename(path))

it('finds files in folders within folders, each once, and lists what can’t be used', async () => {
  const dir = tempDir()
  mkdirSync(join(dir, 'deep', 'deeper'), { recursive: true })
  for (const file of ['b.jpg', 'a.png', 'deep/clip.mp4', 'deep/deeper/c.webp', 'notes.txt', '.hidden.jpg'])
    writeFileSync(join(dir, file), 'x')
  symlinkSync(dir, join(dir, 'deep', 'circle'))
  symlinkSync(join(dir, 'b.jpg'), join(dir, 'z-link.jpg'))
  symlinkSync(join(dir, 'nowhere'), join(dir, 'broken.jpg'))
  const found = await findMedia([dir, join(dir, 'b.jpg'), join(dir, 'gone.mp4')], 100)
  expect(found.usable.map(({ path, kind }) => [basename(path), kind])).toEqual([
    ...[
      ['a.png', 'face'],
      ['b.jpg', 'face'],
      ['clip.mp4', 'video'],
      ['c.webp', 'face'],
    ],
  ])
  expect(names(found.unusable)).toEqual(['broken.jpg', 'notes.txt', 'gone.mp4'])
  expect(found.isCutOff).toBe(false)
})

it(
  'finds the few usable files among thousands, in nested folders with links in a circle',
  { timeout: 60_000 },
  async () => {
    const dir = tempDir()
    for (let folder = 0; folder < 20; folder += 1) {
      const nested = join(dir, 'a', String(folder), 'deep')
      mkdirSync(nested, { recursive: true })
      for (let file = 0; file < 100; file += 1) writeFileSync(join(nested, `${String(file)}.txt`), '')
      symlinkSync(dir, join(nested, 'circle'))
    }
    for (const file of ['face.jpg', 'target.mp4']) writeFileSync(join(dir, file), '')
    const found = await findMedia([dir], 500)
    expect(names(found.usable.map(({ path }) => path))).toEqual(['face.jpg', 'target.mp4'])
    expect(found.unusable).toHaveLength(2000)
    expect(found.isCutOff).toBe(false)
  },
)

it('stops at its limit', async () => {
  const dir = tempDir()
  for (let file = 0; file <= 100; file += 1) writeFileSync(join(dir, `${String(file)}.jpg`), '')
  const found = await findMedia([dir], 100)
  expect(found.usable).toHaveLength(100)
  expect(found.isCutOff).toBe(true)
})

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
