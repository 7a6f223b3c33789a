import { rmSync, writeFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { RecentFiles } from '../../../../src/main/media/recent-files.ts'
import type { RecentFile } from '../../../../src/main/machine/settings/settings-store.ts'
import { tempPaths } from '../../../fixtures/temp-dir.ts'

const inDir = tempPaths()
let stored: RecentFile[]
let isOn: boolean
let system: string[]
let recent: RecentFiles

beforeEach(() => {
  ;[stored, isOn, system] = [[], true, []]
  recent = new RecentFiles({
    stored: () => stored,
    store: (files) => (stored = files),
    isOn: () => isOn,
    system: { add: (path) => system.push(path), clear: () => (system = []) },
  })
})

const file = (name: string): string => {
  writeFileSync(inDir(name), 'x')
  return inDir(name)
}
const paths = async (kind: 'face' | 'video'): Promise<string[]> =>
  (await recent.list()).filter((each) => each.kind === kind).map(({ path }) => path)

it('keeps the last 12 of each kind, newest first, each once', async () => {
  const faces = Array.from({ length: 14 }, (_, index) => file(`${String(index)}.jpg`))
  recent.add('video', file('a.mp4'), 'cover')
  for (const path of [...faces, faces[5] ?? '']) recent.add('face', path, 'picture')
  const expected = [faces[5], ...[13, 12, 11, 10, 9, 8, 7, 6, 4, 3, 2].map((index) => faces[index])]
  expect(await paths('face')).toEqual(expected)
  expect(await paths('video')).toEqual([inDir('a.mp4')])
})

it('drops files that are missing', async () => {
  recent.add('face', file('a.jpg'), 'picture')
  recent.add('face', file('b.jpg'), 'picture')
  rmSync(inDir('b.jpg'))
  expect(await paths('face')).toEqual([inDir('a.jpg')])
  expect(stored).toHaveLength(1)
})

it('stores nothing while it is off, and clears the system’s list too', () => {
  recent.add('face', file('a.jpg'), 'picture')
  expect(system).toHaveLength(1)
  recent.clear()
  expect([stored, system]).toEqual([[], []])
  isOn = false
  recent.add('face', file('a.jpg'), 'picture')
  expect([stored, system]).toEqual([[], []])
})
