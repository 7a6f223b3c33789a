/** @file Blends the colour-corrected source into the frame, in place: luma at full size, chroma at half size. */
import type { Canvas } from '../common/canvas.ts'
import { chromaOf, type Planes } from '../media/pixels/planes.ts'
import type { LumaFields } from './luma-fields.ts'
import type { ChromaFields, HueSlopes } from './hue.ts'
import type { Grid } from '../raster/boxes.ts'
import { kernels, Room } from '../kernels/kernels.ts'
import type { FaceCrop, DrawnPlanes } from './swap-method.ts'

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
  drawn: DrawnPlanes,
  opacity: number,
): void {
  const room = new Room()
  const { columns, rows, cell } = grid
  const shape = [columns, rows, cell] as const
  const mask = room.copy(drawn.mask)
  const own = [room.copy(drawn.y), room.copy(drawn.u), room.copy(drawn.v)] as const
  const to = [room.copy(under.y), room.copy(under.u), room.copy(under.v)] as const
  const light = [luma.gain, luma.offset, luma.mean, luma.dark, luma.light].map((field) => room.copy(field)) as Five
  const hues = [u.target, u.source, v.target, v.source].map((field) => room.copy(field)) as Four
  const means = [slopes.target, slopes.source].map(({ mean }) => room.copy(mean)) as Two
  const less = [slopes.target, slopes.source].map(({ slope }) => 1 - slope) as Two
  kernels.blend_luma(own[0], to[0], mask, box.width, box.height, ...light, ...shape, lumaScale(opacity))
  kernels.blend_chroma(
    ...own,
    ...to,
    mask,
    box.width >> 1,
    box.height >> 1,
    ...hues,
    ...means,
    ...shape,
    ...less,
    ...[u.detail, v.detail, opacity / 255],
  )
  paste(room, to, frame, box)
}

/** Blends a face that needs no correction: `target += (drawn − target) · weight`. @param opacity 0…1 */
export function mix({ box, frame, under }: Omit<FaceCrop, 'faceWidth'>, drawn: DrawnPlanes, opacity: number): void {
  const room = new Room()
  const own = [room.copy(drawn.y), room.copy(drawn.u), room.copy(drawn.v)] as const
  const to = [room.copy(under.y), room.copy(under.u), room.copy(under.v)] as const
  kernels.mix(...own, ...to, room.copy(drawn.mask), box.width, box.height, lumaScale(opacity), opacity)
  paste(room, to, frame, box)
}

/** From the kernels' memory back to the frame. */
function paste(room: Room, [y, u, v]: readonly [number, number, number], frame: Planes, box: Canvas): void {
  const small = { left: box.left >> 1, top: box.top >> 1, width: box.width >> 1, height: box.height >> 1 }
  room.paste(y, frame.y, frame.width, box)
  room.paste(u, frame.u, chromaOf(frame.width), small)
  room.paste(v, frame.v, chromaOf(frame.width), small)
}

/** A share of 0…1 in the kernels' fixed point: weights of the unit 1/4080 (16 · 255) become 1/4096, over 4096. */
export const lumaScale = (opacity: number): number => Math.round((opacity * 4096 * 4096) / 4080)

type Two = [number, number]
type Four = [number, number, number, number]
type Five = [...Four, number]
