/** @file From planes to the float RGB squares that the models read. */
import { yuvToRgb } from '../media/color.ts'
import { chromaOf, type Patch } from '../media/planes.ts'
import type { Affine } from './affine.ts'

/**
 * Samples a square of `side`² pixels, RGB interleaved.
 * @param map from the unit square to the frame's coded pixels
 * @param range values of black and white
 * @param outside `edge` repeats the patch's border, `black` paints what lies beyond it
 */
export function sampleSquare(
  patch: Patch,
  map: Affine,
  side: number,
  range: [number, number],
  outside: 'edge' | 'black',
  out = new Float32Array(side * side * 3),
): Float32Array {
  const { y, u, v, width, height } = patch
  const color = yuvToRgb(patch.color)
  const chromaWidth = chromaOf(width)
  const [low, high] = range
  const gain = (high - low) / 255
  const maxX = width - 1
  const maxY = height - 1
  let at = 0
  for (let row = 0; row < side; row += 1) {
    const t = (row + 0.5) / side
    let px = map.a * (0.5 / side) + map.b * t + map.c - patch.left - 0.5
    let py = map.d * (0.5 / side) + map.e * t + map.f - patch.top - 0.5
    const stepX = map.a / side
    const stepY = map.d / side
    for (let column = 0; column < side; column += 1, px += stepX, py += stepY) {
      if (outside === 'black' && (px < -1 || py < -1 || px > width || py > height)) {
        out[at++] = low
        out[at++] = low
        out[at++] = low
        continue
      }
      const cx = px < 0 ? 0 : px > maxX ? maxX : px
      const cy = py < 0 ? 0 : py > maxY ? maxY : py
      const ix = cx | 0
      const iy = cy | 0
      const fx = cx - ix
      const fy = cy - iy
      const right = ix < maxX ? 1 : 0
      const upper = iy * width + ix
      const lower = iy < maxY ? upper + width : upper
      const a = y[upper] ?? 0
      const b = y[upper + right] ?? 0
      const c = y[lower] ?? 0
      const d = y[lower + right] ?? 0
      const top = a + (b - a) * fx
      const luma = (top + (c + (d - c) * fx - top) * fy - color.black) * color.scale
      const chroma = (iy >> 1) * chromaWidth + (ix >> 1)
      const cu = (u[chroma] ?? 128) - 128
      const cv = (v[chroma] ?? 128) - 128
      const red = luma + color.redV * cv
      const green = luma - color.greenU * cu - color.greenV * cv
      const blue = luma + color.blueU * cu
      out[at++] = (red < 0 ? 0 : red > 255 ? 255 : red) * gain + low
      out[at++] = (green < 0 ? 0 : green > 255 ? 255 : green) * gain + low
      out[at++] = (blue < 0 ? 0 : blue > 255 ? 255 : blue) * gain + low
    }
  }
  return out
}
