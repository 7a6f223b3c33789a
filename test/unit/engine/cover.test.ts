import { expect, it } from 'vitest'
import { CoverTaker, copyPlanes } from '../../../src/renderer/engine/jobs/frames/stills.ts'
import { planesByteLength, planesOver } from '../../../src/renderer/engine/media/pixels/planes.ts'

it('is the first frame, until one after a fifth of them shows the face from the front', () => {
  const planes = planesOver(new ArrayBuffer(planesByteLength(16, 16)), 16, 16)
  const taker = new CoverTaker('media://job/mine', { indexAt: (share) => 100 * share })
  const wants = (index: number, yaw: number, opacity = 1): boolean => taker.wants(index, yaw, opacity)
  expect([wants(0, 0, 0.4), wants(0, 0)]).toEqual([false, true])
  taker.keep(0, 0, planes, copyPlanes(planes))
  expect([wants(19, 0), wants(20, 25), wants(20, -25)]).toEqual([false, false, false])
  expect([wants(20, 24), wants(20, -24)]).toEqual([true, true])
  taker.keep(20, -24, planes, copyPlanes(planes))
  expect(wants(50, 0)).toBe(false)
})
