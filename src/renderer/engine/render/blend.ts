/** @file Blends the colour-corrected source into the frame, in place: luma at full size, chroma at half size. */
import { chromaOf } from '../media/pixels/planes.ts'
import type { LumaFields } from './color-transfer.ts'
import type { ChromaFields, HueSlopes } from './hue.ts'
import type { Grid } from '../raster/boxes.ts'
import { kernels, Room } from '../kernels/kernels.ts'
import type { FaceCrop, SwappedFace } from './swap-method.ts'

export interface Correction {
  /** Grid of the fields, over the crop at half size. */
  grid: Grid
  luma: LumaFields
  u: ChromaFields
  v: ChromaFields
  slopes: HueSlopes
}

/**
 * Blends luma by `target += (source · gain + offset − target) · weight`, then chroma by the resulting luma. Fields are interpolated between the centres of the grid's cells.
 * @param drawn the swapped face; its mask is 0…255
 * @param opacity 0…1
 */
export function blend(
  { grid, luma, u, v, slopes }: Correction,
  { box, frame, under }: FaceCrop,
  drawn: SwappedFace,
  opacity: number,
): void {
  const room = new Room()
  const { columns, rows, cell } = grid
  const small = { left: box.left >> 1, top: box.top >> 1, width: box.width >> 1, height: box.height >> 1 }
  const chromaStride = chromaOf(frame.width)
  const shape = [columns, rows, cell] as const
  const mask = room.copy(drawn.mask)
  const own = [room.copy(drawn.y), room.copy(drawn.u), room.copy(drawn.v)] as const
  const [toY, toU, toV] = [room.copy(under.y), room.copy(under.u), room.copy(under.v)]
  const light = [luma.gain, luma.offset, luma.mean, luma.curve].map((field) => room.copy(field)) as Four
  const hues = [u.target, u.source, v.target, v.source].map((field) => room.copy(field)) as Four
  const means = [slopes.target, slopes.source].map(({ mean }) => room.copy(mean)) as Two
  const less = [slopes.target, slopes.source].map(({ slope }) => Math.round((1 - slope) * 256)) as Two
  const details = [Math.round(u.detail * 65536), Math.round(v.detail * 65536)] as const
  // Fixed point: luma weights have the unit 1/4080 (16 · 255), chroma weights 1/255; both become 1/4096. The second
  // factors, 4096 and 256, are what the kernels divide by.
  const [lumaScale, chromaScale] = [(opacity * 4096 * 4096) / 4080, (opacity * 4096 * 256) / 255].map(Math.round) as Two
  kernels.blend_luma(own[0], toY, mask, box.width, box.height, ...light, ...shape, lumaScale)
  kernels.blend_chroma(
    ...own,
    toY,
    toU,
    toV,
    mask,
    small.width,
    small.height,
    ...hues,
    ...means,
    ...shape,
    ...less,
    ...details,
    chromaScale,
  )
  room.paste(toY, frame.y, frame.width, box)
  room.paste(toU, frame.u, chromaStride, small)
  room.paste(toV, frame.v, chromaStride, small)
}

/** Blends a face that needs no correction: `target += (drawn − target) · weight`. @param opacity 0…1 */
export function mix({ box, frame, under }: Omit<FaceCrop, 'faceWidth'>, drawn: SwappedFace, opacity: number): void {
  const room = new Room()
  const places = [room.copy(drawn.y), room.copy(under.y), room.copy(drawn.mask)] as const
  kernels.mix(...places, box.width, box.height, 0, Math.round((opacity * 4096 * 4096) / 4080))
  room.paste(places[1], frame.y, frame.width, box)
  const [width, stride] = [box.width >> 1, chromaOf(frame.width)]
  const start = (box.top >> 1) * stride + (box.left >> 1)
  for (let at = 0; at < drawn.mask.length; at += 1) {
    const weight = ((drawn.mask[at] ?? 0) * opacity) / 255
    const to = start + Math.floor(at / width) * stride + (at % width)
    for (const [plane, own] of [
      [frame.u, drawn.u],
      [frame.v, drawn.v],
    ] as const) {
      const was = plane[to] ?? 0
      plane[to] = was + ((own[at] ?? 0) - was) * weight + 0.5
    }
  }
}

type Two = [number, number]
type Four = [number, number, number, number]
