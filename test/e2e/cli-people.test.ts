/** @file People and ranges on the command line, with the real engine. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { sample, shortClip } from '../fixtures/clip.ts'
import { jsonLines, type Ran } from '../fixtures/command.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { runWarm } from './warm.ts'
import { storedTasks } from './seeded.ts'

const dir = sharedDir()
let clip: string
beforeAll(async () => {
  clip = await shortClip(join(dir, 'clip.mp4'), 9, 9)
})

const mien = (args: string[]): Promise<Ran> =>
  runWarm(args, { cwd: dir, env: { DBUS_SESSION_BUS_ADDRESS: 'disabled:' } })

it('lists the people in a video, writes their faces, and swaps one of them in a part, which alone is saved', async () => {
  const listed = await mien(['people', clip, '--out', 'faces', '--json'])
  expect(listed.code).toBe(0)
  expect(jsonLines(listed)).toEqual([
    {
      id: 'p1',
      screenMs: expect.any(Number) as number,
      // Not beyond the end of the video.
      spans: [{ fromMs: 0, toMs: 1000 }],
      face: join(dir, 'faces', 'person-1.jpg'),
    },
  ])
  expect(readdirSync(join(dir, 'faces'))).toEqual(['person-1.jpg'])
  expect(statSync(join(dir, 'faces', 'person-1.jpg')).size).toBeGreaterThan(500)

  const out = ['--out', 'part.mp4', '--range', '0.2-0.4', '--json']
  const swapped = await mien(['swap', '--cast', `1=${sample.face}`, '--video', clip, ...out])
  expect([swapped.code, jsonLines(swapped)[0]]).toMatchObject([0, { status: 'completed', frames: 2, swappedFrames: 2 }])
  const { frameTimes } = await mediaFacts(join(dir, 'part.mp4'))
  expect([frameTimes.length, frameTimes[0]]).toEqual([2, 0])
})

it('submits a cast, and says who is in the video if somebody isn’t', async () => {
  const submit = (person: string) =>
    mien([
      ...['submit', '--profile', 'This computer', '--cast', `${person}=${sample.face}`, '--target', clip],
      ...['--data-dir', 'library', '--json'],
    ])
  const unknown = await submit('2')
  expect(unknown.code).toBe(3)
  expect(unknown.stderr).toContain('There’s no “2” in this video')
  expect(unknown.stderr).toContain('The people in it are: 1.')
  const added = await submit('1')
  expect(added.code).toBe(0)
  expect(added.stderr).toContain('begin with “mien watch”')
  expect(storedTasks(join(dir, 'library'))[0]?.cast).toMatchObject([{ personId: 'p1' }])
})
