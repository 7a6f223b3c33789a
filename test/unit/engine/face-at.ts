import type { Points } from '../../../src/renderer/engine/face/landmarks.ts'

/** A plain face: points spread over an ellipse 100 wide, its eyes open, moved to `x`. */
export function faceAt(x: number, openness = 1): Points {
  const points = new Float32Array(478 * 3)
  for (let index = 0; index < 478; index += 1) {
    const angle = index * 2.4
    const radius = Math.sqrt(index / 478)
    points.set([x + 50 * radius * Math.cos(angle), 60 * radius * Math.sin(angle), 0], index * 3)
  }
  const place = (index: number, dx: number, y: number): void => points.set([x + dx, y, 0], index * 3)
  place(10, 0, -60)
  place(152, 0, 60)
  place(234, -50, 0)
  place(454, 50, 0)
  for (const [outer, inner, top, bottom, sign] of [
    [33, 133, 159, 145, -1],
    [263, 362, 386, 374, 1],
  ] as const) {
    place(outer, sign * 30, -20)
    place(inner, sign * 10, -20)
    place(top, sign * 20, -20 - 3 * openness)
    place(bottom, sign * 20, -20 + 3 * openness)
  }
  place(13, 0, 30)
  place(14, 0, 30)
  return points
}
