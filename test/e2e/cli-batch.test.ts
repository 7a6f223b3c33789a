/** @file Many swaps at once from the command line, on this computer, with real files. */
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { clips, portraitOf, sample } from '../fixtures/clip.ts'
import { jsonLines, type Ran } from '../fixtures/command.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { runWarm } from './warm.ts'
import { storedTasks } from './seeded.ts'

const dir = sharedDir()
let data: string

beforeAll(() => {
  data = join(dir, 'data')
  mkdirSync(join(dir, 'faces', 'more'), { recursive: true })
  copyFileSync(sample.face, join(dir, 'faces', 'Anna.jpg'))
  copyFileSync(portraitOf('guion-bluford'), join(dir, 'faces', 'more', 'Anna.jpg'))
  writeFileSync(join(dir, 'faces', 'notes.txt'), 'nothing')
  writeFileSync(join(dir, 'faces', 'broken.jpg'), 'nothing')
  copyFileSync(clips.threePeople, join(dir, 'clip.mp4'))
  copyFileSync(portraitOf('sally-ride'), join(dir, 'poster.jpg'))
})

const mien = (args: string[]): Promise<Ran> => runWarm([...args, '--data-dir', data, '--json'], { cwd: dir })

it('starts nothing if a plan has mistakes, and makes its swaps once they are mended', async () => {
  const plan = join(dir, 'plan.csv')
  const rows = ['face,target,title', 'faces/Anna.jpg,clip.mp4,One', ',clip.mp4,Two', 'gone.jpg,clip.mp4,Three']
  writeFileSync(plan, rows.join('\n'))
  const before = jsonLines(await mien(['list'])).length
  const batch = (): Promise<Ran> =>
    mien(['batch', '--profile', 'this-computer', '--plan', plan, '--range', '0:00-0:00.6', '--wait'])
  const wrong = await batch()
  expect(wrong.code).toBe(3)
  expect(wrong.stderr).toContain('line 3: face is missing')
  writeFileSync(plan, rows.filter((_, row) => row !== 2).join('\n'))
  const missing = await batch()
  expect(missing.code).toBe(3)
  expect(missing.stderr).toContain('gone.jpg')
  expect(jsonLines(await mien(['list']))).toHaveLength(before)
  writeFileSync(plan, rows.slice(0, 2).join('\n'))
  const right = await batch()
  expect(right, right.stderr).toMatchObject({ code: 0 })
  expect(jsonLines(right).map(({ title, state }) => [title, state])).toEqual([['One', 'kept']])
  expect(readdirSync(join(data, 'results'))).toEqual(['One.mp4'])
})

it('puts each face of a folder into each target, also two of one name, and names what can’t be used', async () => {
  const ran = await mien(
    'batch --profile this-computer --faces faces --targets clip.mp4 poster.jpg --range 0:00-0:00.6'.split(' '),
  )
  expect(ran, ran.stderr).toMatchObject({ code: 0 })
  expect(jsonLines(ran).map(({ title, state }) => [title, state])).toEqual([
    ['Clip, Anna', 'queued'],
    ['Poster, Anna', 'queued'],
    ['Clip, Anna', 'queued'],
    ['Poster, Anna', 'queued'],
  ])
  expect(ran.stderr).toContain('4 swaps added')
  expect(ran.stderr).toContain('begin with “mien watch”')
  expect(ran.stderr).toMatch(/1 file can’t be used:\s+notes\.txt/)
  expect(ran.stderr).toMatch(/1 file can’t be used:\s+broken\.jpg: /)
})

it('casts the people of a video by a plan, and names the line of a person who isn’t there', async () => {
  const plan = join(dir, 'cast.csv')
  const rows = [
    'cast,target,title',
    '1=faces/Anna.jpg | 3=poster.jpg,clip.mp4,Two of three',
    '9=faces/Anna.jpg,clip.mp4,No',
  ]
  writeFileSync(plan, rows.join('\n'))
  const batch = (): Promise<Ran> => mien(['batch', '--profile', 'this-computer', '--plan', plan])
  const wrong = await batch()
  expect(wrong.code).toBe(3)
  expect(wrong.stderr).toContain('line 3: There’s no “9” in this video')
  writeFileSync(plan, rows.slice(0, 2).join('\n'))
  const right = await batch()
  expect(right, right.stderr).toMatchObject({ code: 0 })
  const task = storedTasks(data).find(({ title }) => title === 'Two of three')
  expect(task?.cast.map(({ personId, face }) => `${personId} ${face.name}`)).toEqual(['p1 Anna.jpg', 'p3 poster.jpg'])
})
