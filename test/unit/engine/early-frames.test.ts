import { expect, it } from 'vitest'
import { EarlyFrames } from '../../../src/renderer/engine/jobs/swap/early-frames.ts'
import { FrameWindow } from '../../../src/renderer/engine/track/frame-window.ts'

const color = { matrix: 'bt709', full: false } as const

/** A window of five frames, 0.1 s apart from 1 s on, whose pixels are their index. */
async function held({ damaged = -1, count = 5 } = {}): Promise<{ frames: FrameWindow; early: EarlyFrames }> {
  const frames = new FrameWindow(4, 4, 5, 0, 1)
  for (let index = 0; index < count; index += 1) {
    const { buffer, planes } = await frames.room()
    planes.y.fill(index)
    const timestamp = 1 + index / 10
    frames.push({ timestamp, duration: 0.1, damaged: index === damaged, part: 0, planes, buffer })
  }
  const early = new EarlyFrames()
  early.offer({ frames, color, until: 1.4 })
  return { frames, early }
}

it('gives a copy of the frame that is shown at a time', async () => {
  const { frames, early } = await held()
  const found = await early.at(1.25)
  expect(found).toMatchObject({ timestamp: 1.2, color })
  expect(found?.planes.y[0]).toBe(2)
  found?.planes.y.fill(99)
  expect(frames.frame(2)?.planes.y[0]).toBe(2)
})

it('waits for a frame that is still to come', async () => {
  const { frames, early } = await held({ count: 2 })
  const found = early.at(1.15)
  const { buffer, planes } = await frames.room()
  frames.push({ timestamp: 1.2, duration: 0.1, damaged: false, part: 0, planes, buffer })
  expect((await found)?.timestamp).toBe(1.1)
})

it.each([
  ['before the video', 0.95, {}],
  ['later than the frames that are held', 1.45, {}],
  ['of a damaged frame', 1.25, { damaged: 2 }],
])('gives none at a time %s', async (_what, time, frames) => {
  const { early } = await held(frames)
  expect(await early.at(time)).toBeNull()
})

it('gives none, and doesn’t wait, where more frames than expected come before it', async () => {
  const { frames } = await held()
  const early = new EarlyFrames()
  // The window is full; a frame at 1.5 s would never come.
  early.offer({ frames, color, until: 2 })
  expect(await early.at(1.45)).toBeNull()
})

it('gives none once the swap has failed or holds nothing', async () => {
  const { frames, early } = await held({ count: 2 })
  frames.stop()
  expect(await early.at(1.15)).toBeNull()
  const none = new EarlyFrames()
  none.offer(null)
  expect(await none.at(1.15)).toBeNull()
})
