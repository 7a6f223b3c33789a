/** @file People and ranges on the command line, with the real engine. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sample, shortClip } from '../fixtures/clip.ts'
import { jsonLines, type Ran } from '../fixtures/command.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { runWarm } from './warm.ts'

const dir = sharedDir()
const mien = (args: string[]): Promise<Ran> =>
  runWarm(args, { cwd: dir, env: { DBUS_SESSION_BUS_ADDRESS: 'disabled:' } })

it('lists the people in a video, writes their faces, and swaps one of them in a part, which alone is saved', async () => {
  const clip = await shortClip(join(dir, 'clip.mp4'), 9, 9)
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
