/** @file The command line as a process of its own: output, exit codes, two at once. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { clips, sample, shortClip } from '../fixtures/clip.ts'
import { runMien, type CommandOptions, type Ran } from '../fixtures/command.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { runWarm } from './warm.ts'

/** Of the clip. */
const frames = 9
const dir = sharedDir()
let clip: string
beforeAll(async () => {
  writeFileSync(join(dir, 'notes.mp4'), 'only some notes\n')
  clip = await shortClip(join(dir, 'clip.mp4'), frames)
})

// No bus: a command line works without a keyring.
const mien = (args: string[], onProgress?: CommandOptions['onProgress']): Promise<Ran> =>
  runMien(args, { cwd: dir, env: { DBUS_SESSION_BUS_ADDRESS: 'disabled:' }, ...(onProgress ? { onProgress } : {}) })

const swap = (out: string, more: string[] = []): string[] => [
  ...['swap', '--face', sample.face, '--video', clip, '--out', out, '--json'],
  ...more,
]

describe('mien swap', () => {
  it('writes the video and one JSON object, and leaves nothing else', async () => {
    const data = join(dir, 'data')
    const ran = await mien(swap('out.mp4', ['--data-dir', data]))
    expect(ran.code).toBe(0)
    const told = JSON.parse(ran.stdout) as Record<string, unknown>
    expect(told).toMatchObject({
      status: 'completed',
      output: join(dir, 'out.mp4'),
      width: 640,
      height: 360,
      frames,
      swappedFrames: expect.any(Number) as number,
      model: null,
    })
    expect(Object.keys(told)).toEqual(
      expect.arrayContaining(['taskId', 'status', 'output', 'width', 'height', 'frames', 'swappedFrames', 'fps', 'ms']),
    )
    expect(told['swappedFrames']).toBeGreaterThanOrEqual(7)
    expect(ran.stderr).toMatch(/\[#{30}\]\s+100%.*9\/9 frames/)
    expect(ran.stderr).not.toContain('[OpenH264]')
    const [before, after] = await Promise.all([mediaFacts(clip), mediaFacts(join(dir, 'out.mp4'))])
    expect(after.audio).toEqual(before.audio)
    expect(after.frameTimes).toEqual(before.frameTimes)
    expect(readdirSync(dir).filter((name) => name.includes('.part'))).toEqual([])
    // The certificates stay, for the next result.
    const runs = readdirSync(data).filter((name) => name !== 'signing.json')
    expect(runs.flatMap((run) => readdirSync(join(data, run)).filter((name) => name !== 'chromium'))).toEqual([])
  })

  it('two at once do not disturb each other', { tags: ['long'] }, async () => {
    const both = await Promise.all([mien(swap('one.mp4')), mien(swap('two.mp4'))])
    expect(both.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(both.map(({ stdout }) => (JSON.parse(stdout) as { frames: number }).frames)).toEqual([frames, frames])
    expect(existsSync(join(dir, 'one.mp4')) && existsSync(join(dir, 'two.mp4'))).toBe(true)
  })

  it.each([
    ['no command', [], 0],
    ['an unknown command', ['fly'], 2],
    ['a missing option', ['swap', '--face', 'x'], 2],
    ['a text as video', ['swap', '--face', sample.face, '--video', 'notes.mp4', '--out', 'n.mp4', '--json'], 3],
    [
      'a video of two people as face',
      ['swap', '--face', clips.handAndTurn, '--video', sample.video, '--out', 'n.mp4', '--json'],
      3,
    ],
  ])('%s', async (_what, args, code) => {
    const ran = await runWarm(args, { cwd: dir })
    expect(ran.code).toBe(code)
    if (code === 3) {
      expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'failed', output: null })
      expect(existsSync(join(dir, 'n.mp4'))).toBe(false)
    }
    if (code === 2) expect(ran.stderr).toMatch(/--out.*\n.*mien help swap|fly.*\n.*mien help/)
  })
})
