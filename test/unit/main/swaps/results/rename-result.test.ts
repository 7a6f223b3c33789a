import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { renameResult } from '../../../../../src/main/swaps/results/place-file.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = tempDir()
  path = join(folder, 'Clip.mp4')
  writeFileSync(path, 'ours')
})

it('gives the file its name, with its extension', async () => {
  let during: string[] = []
  await renameResult(path, 'Launch day', (placed) => {
    expect(basename(placed)).toBe('Launch day.mp4')
    // Recorded while both names are there, so that a crash loses neither.
    during = readdirSync(folder).sort()
  })
  expect(during).toEqual(['Clip.mp4', 'Launch day.mp4'])
  expect(readdirSync(folder)).toEqual(['Launch day.mp4'])
})

it('never overwrites a file', async () => {
  writeFileSync(join(folder, 'Launch day.mp4'), 'mine')
  await renameResult(path, 'Launch day', () => undefined)
  expect(readFileSync(join(folder, 'Launch day.mp4'), 'utf8')).toBe('mine')
  expect(readFileSync(join(folder, 'Launch day 2.mp4'), 'utf8')).toBe('ours')
})

it('says that the file is gone', async () => {
  const renaming = renameResult(join(folder, 'gone.mp4'), 'Launch day', () => undefined)
  await expect(renaming).rejects.toMatchObject({ code: 'file-missing' })
})
