/** @file Light and dark in a face, to notice that another face is at its place. It needs no landmarks. */
import type { Affine } from '../common/affine.ts'
import type { Region } from '../face/region.ts'
import { lightAround } from '../face/skin-pattern.ts'
import type { Planes } from '../media/pixels/planes.ts'

const columns = 7
/** Part of the region that the grid of spots covers, and the spots' radius as a share of the region. */
const covered = 0.45
const radius = 1 / 40

/** @param view maps upright to coded pixels */
export function faceLight(frame: Planes, view: Affine, { x, y, size, angle }: Region): Float32Array {
  const spots = new Float32Array(columns * columns * 2)
  const [cos, sin] = [Math.cos(angle) * size * covered, Math.sin(angle) * size * covered]
  for (let at = 0; at < columns * columns; at += 1) {
    const [u, v] = [(at % columns) / (columns - 1) - 0.5, Math.floor(at / columns) / (columns - 1) - 0.5]
    const [left, top] = [x + cos * u - sin * v, y + sin * u + cos * v]
    spots[at * 2] = view.a * left + view.b * top + view.c
    spots[at * 2 + 1] = view.d * left + view.e * top + view.f
  }
  return lightAround(frame, spots, Math.max(1, Math.round(size * Math.hypot(view.a, view.d) * radius)))
}
