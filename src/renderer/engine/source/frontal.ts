/**
 * @file Turns the source's face to the front. Its landmarks are rotated about the vertical axis using their depth, and
 * its pixels are warped with them. The foreshortened far side is replaced by the near side's mirror image.
 */
import { spread } from '../face/mesh-fields.ts'
import { mirrorOf } from '../face/mirror.ts'
import { meshPoints, skinTriangles } from '../face/topology.ts'
import { meshWithOpenings, withOpenings } from '../raster/mesh-weights.ts'
import { rasterise, type Mesh } from '../raster/raster.ts'
import { smoothstep } from '../common/smoothstep.ts'
import type { SourceCut } from './source-face.ts'

/** Rotates landmarks (x, y, z) about their centre until both sides of the outline have the same depth. */
export function turnToFront(points: Float32Array): Float32Array {
  const at = (index: number): number => points[index] ?? 0
  const angle = Math.atan2(at(454 * 3 + 2) - at(234 * 3 + 2), at(454 * 3) - at(234 * 3))
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  const centreX = (at(454 * 3) + at(234 * 3)) / 2
  const centreZ = (at(454 * 3 + 2) + at(234 * 3 + 2)) / 2
  const front = Float32Array.from(points)
  for (let i = 0; i < points.length; i += 3) {
    const x = at(i) - centreX
    const z = at(i + 2) - centreZ
    front[i] = centreX + x * cos + z * sin
    front[i + 2] = centreZ - x * sin + z * cos
  }
  return front
}

/** Twice a triangle's signed area; the sign changes when the triangle faces away. */
function areaOf(points: Float32Array, triangle: number): number {
  const [a = 0, b = 0, c = 0] = skinTriangles.subarray(triangle, triangle + 3)
  const x = (point: number): number => points[point * 3] ?? 0
  const y = (point: number): number => points[point * 3 + 1] ?? 0
  return (x(b) - x(a)) * (y(c) - y(a)) - (x(c) - x(a)) * (y(b) - y(a))
}

/**
 * Visible area, compared with that of the mirrored side, over which a point gets its own pixels. Low, because a mirrored
 * half makes a face less like itself.
 */
const ownFrom = [0.2, 0.5] as const

/** For each mesh point the share of its own pixels, 0…1; the rest comes from the mirrored point. */
export function ownShares(points: Float32Array, front: Float32Array): Float32Array {
  const seen = new Float32Array(meshPoints)
  const whole = new Float32Array(meshPoints)
  for (let triangle = 0; triangle < skinTriangles.length; triangle += 3) {
    const own = areaOf(points, triangle)
    const turned = areaOf(front, triangle)
    const facing = Math.sign(turned) || 1
    for (let corner = 0; corner < 3; corner += 1) {
      const point = skinTriangles[triangle + corner] ?? 0
      seen[point] = (seen[point] ?? 0) + Math.max(0, own * facing)
      whole[point] = (whole[point] ?? 0) + Math.abs(turned)
    }
  }
  const ratio = seen.map((value, point) => value / Math.max(1e-3, whole[point] ?? 0))
  let shares: Float32Array = ratio.map((value, point) => {
    const best = Math.max(value, ratio[mirrorOf[point] ?? 0] ?? 0, 1e-3)
    return smoothstep(...ownFrom, value / best)
  })
  for (let pass = 0; pass < 3; pass += 1) shares = spread(shares)
  return shares
}

/** A copy of the cut with its face turned to the front. Pixels outside the mesh are unchanged. */
export function frontalCut(cut: SourceCut): SourceCut {
  const { width, height } = cut
  const front = turnToFront(cut.points)
  const shares = ownShares(cut.points, front)
  const mesh: Mesh = {
    triangles: meshWithOpenings,
    to: withOpenings(front),
    from: withOpenings(cut.points),
    // Openings aren't mirrored: eyes and mouth come from the video.
    weights: Float32Array.from({ length: meshPoints * 2 }, (_, point) => (shares[point] ?? 1) * 252),
    flags: new Uint8Array(meshWithOpenings.length / 3),
  }
  const mirrored: Mesh = { ...mesh, from: withOpenings(cut.points, (point) => mirrorOf[point] ?? point) }
  const canvas = { left: 0, top: 0, width, height }
  const weight = new Uint8Array(width * height)
  const rgba = cut.rgba.slice()
  for (let channel = 0; channel < 4; channel += 1) {
    const texture = { data: new Uint8Array(width * height), width, height }
    for (let pixel = 0; pixel < texture.data.length; pixel += 1)
      texture.data[pixel] = cut.rgba[pixel * 4 + channel] ?? 0
    const own = new Uint8Array(width * height)
    const other = new Uint8Array(width * height)
    rasterise(mesh, canvas, texture, own, channel === 0 ? weight : null)
    // Mirrored pixels aren't the face's own, so they have no alpha.
    if (channel < 3) rasterise(mirrored, canvas, texture, other, null)
    for (let pixel = 0; pixel < own.length; pixel += 1) {
      const share = (weight[pixel] ?? 0) & 252
      if (weight[pixel] === 0) continue
      rgba[pixel * 4 + channel] = ((own[pixel] ?? 0) * share + (other[pixel] ?? 0) * (252 - share)) / 252
    }
  }
  return { ...cut, rgba, points: front, shape: front }
}
