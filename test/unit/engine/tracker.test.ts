import { expect, it } from 'vitest'
import { identity } from '../../../src/renderer/engine/common/affine.ts'
import { pointX, type Points } from '../../../src/renderer/engine/face/landmarks.ts'
import type { Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { Caller } from '../../../src/renderer/engine/common/rpc.ts'
import { Tracker } from '../../../src/renderer/engine/track/tracker.ts'
import { faceAt } from './face-at.ts'
import { frameOf } from './face-crop.ts'
import { portTo } from './port-to.ts'

interface Person {
  x: number
  y: number
  kind: number
}
const own: Person = { x: 200, y: 100, kind: 0 }

/** Two faces that look different; where each is on a frame, and which the landmark model would find near a place. */
const planes = (people: Person[]): Planes =>
  frameOf(400, 200, (x, y) => {
    const person = people.findLast((one) => Math.hypot(one.x - x, one.y - y) < 60)
    if (!person) return 40
    const [u, v] = [x - person.x, y - person.y]
    return 120 + 40 * (person.kind === 0 ? Math.sin(u / 9) : Math.cos(u / 6) * Math.sin(v / 8))
  })
/** Where the person is found on each frame that is looked at. */
const foundBy = async (
  at: (index: number) => Person[],
  count: number,
  step: number,
  { seen, onRun }: { seen?: ReadonlyMap<number, Points>; onRun?: (index: number) => void } = {},
): Promise<(number | null)[]> => {
  let now = 0
  const port = portTo({
    // The nearest face, or the one in front where two meet.
    landmarks: async (_input: unknown, region: { x: number; y: number }) => {
      onRun?.(now)
      const near = at(now).findLast((one) => Math.hypot(one.x - region.x, one.y - region.y) < 60)
      return near ? { points: faceAround(near.x, near.y), presence: 1 } : null
    },
    detect: async () =>
      at(now).map(({ x, y }) => ({
        ...{ score: 1, left: x - 50, top: y - 50, width: 100, height: 100 },
        ...{ rightEye: [x - 20, y - 10], leftEye: [x + 20, y - 10], nose: [x, y] },
      })),
  })
  const size = { width: 400, height: 200 }
  const tracker = new Tracker({
    analyst: new Caller(port),
    view: identity,
    size,
    color: { matrix: 'bt709', full: false },
    path: null,
    ...(seen && { seen }),
  })
  const found: (number | null)[] = []
  for (; now < count; now += step) {
    const points = await tracker.find({ planes: planes(at(now)), index: now, timestamp: now / 25 })
    found.push(points && pointX(points, 0))
  }
  return found
}
const faceAround = (x: number, y: number): Points => faceAt(x).map((value, at) => (at % 3 === 1 ? value + y : value))

it('a tracked person stays the same one when another passes in front', async () => {
  const found = await foundBy((index) => [own, { x: 20 + index * 6, y: 100, kind: 1 }], 60, 2)
  for (const x of found) expect(x === null || Math.abs(x - 200) < 3).toBe(true)
  expect(found.slice(0, 8).every((x) => x !== null)).toBe(true)
  expect(found.slice(13, 17)).toContain(null)
  expect(found.slice(-5).every((x) => x !== null)).toBe(true)
})

it('a tracked person is taken where it was seen before, unless that is somebody else', async () => {
  const runs: number[] = []
  const seen = new Map([
    [0, faceAround(200, 100)],
    [8 / 25, faceAround(202, 100)],
    // The other person, who is as large.
    [16 / 25, faceAround(60, 100)],
  ])
  const onRun = (index: number): unknown => runs.push(index)
  const found = await foundBy(() => [{ x: 60, y: 100, kind: 1 }, own], 24, 4, { seen, onRun })
  expect(found.map((x) => x && Math.round(x))).toEqual([200, 200, 202, 200, 200, 200])
  expect(runs).toEqual([4, 12, 16, 20])
})

it('a tracked person is the next one when the first has been away for two seconds', async () => {
  const found = await foundBy((index) => [index < 20 ? own : { x: 220, y: 100, kind: 1 }], 90, 2)
  expect(found[12]).toBeNull()
  expect(found.at(-1)).toBeCloseTo(220, 0)
})
