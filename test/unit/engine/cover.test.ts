import { expect, it } from 'vitest'
import { CoverTaker, copyPlanes } from '../../../src/renderer/engine/jobs/frames/cover.ts'
import { planesByteLength, planesOver } from '../../../src/renderer/engine/media/pixels/planes.ts'

it('is the first frame, until one after a fifth of them shows the face from the front', () => {
  const planes = planesOver(new ArrayBuffer(planesByteLength(16, 16)), 16, 16)
  const taker = new CoverTaker('media://job/mine', { indexAt: (share) => 100 * share })
  expect(taker.wants(0, 0, 0.4)).toBe(false)
  expect(taker.wants(0, 0, 1)).toBe(true)
  taker.keep(0, 0, planes, copyPlanes(planes))
  const wanted = [
    [19, 0],
    [20, 25],
    [20, -25],
    [20, 24],
    [20, -24],
  ].map(([index = 0, yaw = 0]) => taker.wants(index, yaw, 1))
  expect(wanted).toEqual([false, false, false, true, true])
  taker.keep(20, -24, planes, copyPlanes(planes))
  expect(taker.wants(50, 0, 1)).toBe(false)
})
