/** @file Converts between RGB and YUV. */
import { kernels, Room } from '../../kernels/kernels.ts'
import { shares, yuvToRgb } from './color-model.ts'
import { chromaOf, createPlanes, type ColorModel, type Planes } from './planes.ts'

/** Rows that are converted at once: the kernels' memory never shrinks. Even. */
const band = 64

/** Converts RGBA (rows without padding, alpha ignored) to I420 planes. Chroma is the mean of each 2 × 2 block. */
export function rgbaToPlanes(
  rgba: Uint8ClampedArray | Uint8Array,
  width: number,
  height: number,
  color: ColorModel,
): Planes {
  const planes = createPlanes(width, height)
  const [kr, kb] = shares[color.matrix]
  const black = color.full ? 0 : 16
  const chromaScale = color.full ? 1 : 224 / 255
  const factors = [kr, 1 - kr - kb, kb, color.full ? 1 : 219 / 255, black] as const
  const scales = [chromaScale / (2 * (1 - kb)), chromaScale / (2 * (1 - kr))] as const
  for (let top = 0; top < height; top += band) {
    const rows = Math.min(band, height - top)
    const parts = bandsOf(planes, top, rows)
    const room = new Room()
    const from = room.copy(rgba.subarray(top * width * 4, (top + rows) * width * 4))
    const to = parts.map((part) => room.take(part.length)) as [number, number, number]
    kernels.rgba_to_planes(from, width, rows, ...factors, ...scales, ...to)
    for (const [plane, part] of parts.entries()) part.set(room.bytes(to[plane] ?? 0, part.length))
  }
  return planes
}

/** Converts I420 planes to opaque RGBA. */
export function planesToRgba(planes: Planes, color: ColorModel): Uint8ClampedArray<ArrayBuffer> {
  const { width, height } = planes
  const { black, scale, redV, greenU, greenV, blueU } = yuvToRgb(color)
  const rgba = new Uint8ClampedArray(width * height * 4)
  for (let top = 0; top < height; top += band) {
    const rows = Math.min(band, height - top)
    const room = new Room()
    const from = bandsOf(planes, top, rows).map((part) => room.copy(part)) as [number, number, number]
    const to = room.take(width * rows * 4)
    kernels.planes_to_rgba(...from, width, rows, black, scale, redV, greenU, greenV, blueU, to)
    rgba.set(room.bytes(to, width * rows * 4), top * width * 4)
  }
  return rgba
}

/** Views of some rows of the planes. */
function bandsOf({ width, y, u, v }: Planes, top: number, rows: number): [Uint8Array, Uint8Array, Uint8Array] {
  const [from, to] = [(top / 2) * chromaOf(width), (top / 2 + chromaOf(rows)) * chromaOf(width)]
  return [y.subarray(top * width, (top + rows) * width), u.subarray(from, to), v.subarray(from, to)]
}
