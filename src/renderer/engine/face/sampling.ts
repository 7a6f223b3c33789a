/** @file Converts planes to the float RGB squares that the models take as input. */
import { kernels, Room } from '../kernels/kernels.ts'
import { yuvToRgb } from '../media/pixels/color-model.ts'
import { halve, type Patch } from '../media/pixels/planes.ts'
import { compose, type Affine } from '../common/affine.ts'
import type { AnalysisInput } from './analyst.ts'
import { regionToUpright, type Region } from './region.ts'

/**
 * Samples a square of `side`² pixels, RGB interleaved. Luma is interpolated bilinearly.
 * @param map maps the unit square to the frame's coded pixels
 * @param side a multiple of 4
 * @param range output values of black and white
 * @param outside `edge` repeats the patch's border, `black` fills with black
 * @param out `side`² · 3 values
 */
export function sampleSquare(
  patch: Patch,
  map: Affine,
  side: number,
  range: [number, number],
  outside: 'edge' | 'black',
  out: Float32Array,
): void {
  const [a, b, d, e] = [map.a / side, map.b / side, map.d / side, map.e / side]
  const c = map.c + (a + b) / 2 - patch.left - 0.5
  const f = map.f + (d + e) / 2 - patch.top - 0.5
  const { black, scale, redV, greenU, greenV, blueU } = yuvToRgb(patch.color)
  const room = new Room()
  const planes = [room.copy(patch.y), room.copy(patch.u), room.copy(patch.v)] as const
  const places = room.copy(Float32Array.of(a, b, c, d, e, f))
  const color = room.copy(Float32Array.of(black, scale, redV, greenU, greenV, blueU))
  const ends = room.copy(Float32Array.from(range))
  const to = room.take(out.byteLength)
  const blackOutside = outside === 'black' ? 1 : 0
  kernels.sample_square(...planes, patch.width, patch.height, side, places, color, ends, blackOutside, to)
  new Uint8Array(out.buffer, out.byteOffset, out.byteLength).set(room.bytes(to, out.byteLength))
}

/** As `sampleSquare`, for a region of any size: while it has more than two pixels for each of the square's, they are averaged. */
export function sampleRegion(
  input: AnalysisInput,
  region: Region,
  side: number,
  range: [number, number],
  out: Float32Array,
): void {
  let { patch, view } = input
  let pixels = region.size * Math.hypot(view.a, view.d)
  for (; pixels > side * 2 && Math.min(patch.width, patch.height) > side; pixels /= 2) {
    const { a, b, c, d, e, f } = view
    patch = { ...halve(patch), left: patch.left / 2, top: patch.top / 2, color: patch.color }
    view = { a: a / 2, b: b / 2, c: c / 2, d: d / 2, e: e / 2, f: f / 2 }
  }
  sampleSquare(patch, compose(view, regionToUpright(region)), side, range, 'edge', out)
}
