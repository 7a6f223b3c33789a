/** @file Removes light from one side from the source's face, so that both halves have the same shading. */
import { mirrorOf } from '../face/mirror.ts'
import { meshPoints, skinTriangles } from '../face/topology.ts'
import { blurField } from '../raster/blur.ts'
import { rasterise } from '../raster/raster.ts'
import { shrink } from './clean-source.ts'
import { lumaOf, multiply, side } from './even-light.ts'
import type { SourceCut } from './source-face.ts'

/** Shading finer than this, in face widths, belongs to the face and is kept. */
const sigma = 0.03
/** Maximum correction of log luma. A larger difference between the halves isn't caused by light. */
const max = 0.4
/** Encoding of log luma for `rasterise`, which draws bytes: steps per unit, and the log luma of byte 0. */
const steps = 70
const zero = 2

/** Gives both halves of a frontal face the mean of their shading, in place. @param faceWidth in pixels of the cut */
export function evenSides(cut: SourceCut, faceWidth: number): void {
  const scale = side / cut.width
  const width = faceWidth * scale
  const rgb = shrink(cut, side)
  const own = Float32Array.from({ length: side * side }, (_, pixel) =>
    Math.log(lumaOf(rgb[pixel * 3] ?? 0, rgb[pixel * 3 + 1] ?? 0, rgb[pixel * 3 + 2] ?? 0) + 8),
  )
  blurField(own, side, side, width * sigma)
  const { shading, drawn } = mirrored(cut, own)
  const known = Float32Array.from(drawn, (weight) => (weight > 0 ? 1 : 0))
  blurField(known, side, side, width * sigma)
  const lift = own.map((value, pixel) => {
    if (drawn[pixel] === 0) return 0
    const half = ((shading[pixel] ?? 0) - value) / 2
    return Math.max(-max, Math.min(max, half)) * (known[pixel] ?? 0)
  })
  blurField(lift, side, side, width * sigma * 0.5)
  multiply(cut, lift.map(Math.exp))
}

/** A field over the face, mirrored, and the mask of where it is defined (not 0). */
function mirrored(cut: SourceCut, field: Float32Array): { shading: Float32Array; drawn: Uint8Array } {
  const scale = side / cut.width
  const place = (pick: (point: number) => number): Float32Array =>
    Float32Array.from({ length: meshPoints * 2 }, (_, at) => (cut.points[pick(at >> 1) * 3 + (at & 1)] ?? 0) * scale)
  const mesh = {
    triangles: skinTriangles,
    to: place((point) => point),
    from: place((point) => mirrorOf[point] ?? point),
    weights: new Float32Array(meshPoints).fill(252),
    flags: new Uint8Array(skinTriangles.length / 3),
  }
  const data = Uint8Array.from(field, (value) => Math.max(0, Math.min(255, (value - zero) * steps + 0.5)))
  const out = new Uint8Array(side * side)
  const drawn = new Uint8Array(side * side)
  rasterise(mesh, { left: 0, top: 0, width: side, height: side }, { data, width: side, height: side }, out, drawn)
  return { shading: Float32Array.from(out, (value) => value / steps + zero), drawn }
}
