/** @file Frames, the part that holds a face as a renderer gives it to a swap method, and what that draws. */
import type { Canvas } from '../../../src/renderer/engine/common/canvas.ts'
import { meshPoints } from '../../../src/renderer/engine/face/topology.ts'
import { segmentSide } from '../../../src/renderer/engine/face/region.ts'
import { createPlanes, type Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { copyBox } from '../../../src/renderer/engine/raster/boxes.ts'
import type { FaceCrop, SwappedFace } from '../../../src/renderer/engine/render/swap-method.ts'

export function faceCrop(frame: Planes, box: Canvas, faceWidth: number): FaceCrop {
  const under = createPlanes(box.width, box.height)
  copyBox(frame, box, under)
  return { frame, box, under, faceWidth }
}

type Luma = number | ((x: number, y: number) => number)

/** Bytes by their place. */
export const plane = (width: number, height: number, luma: Luma): Uint8Array =>
  Uint8Array.from({ length: width * height }, (_, at) =>
    typeof luma === 'number' ? luma : luma(at % width, Math.floor(at / width)),
  )

/** A frame of an even size. @param u at half the size, as v */
export function frameOf(width: number, height: number, luma: Luma, u: Luma = 128, v: Luma = 128): Planes {
  const planes = createPlanes(width, height)
  planes.y.set(plane(width, height, luma))
  planes.u.set(plane(width / 2, height / 2, u))
  planes.v.set(plane(width / 2, height / 2, v))
  return planes
}

/** What the segmenter is sure of, by its cells. */
export const segmentMap = (isSure: (column: number, row: number) => boolean): Uint8Array =>
  plane(segmentSide, segmentSide, (column, row) => (isSure(column, row) ? 255 : 0))

/** What a method drew of the same chroma everywhere. @param mask weight and flags */
export const drawnFace = (width: number, height: number, luma: Luma, mask: Luma, u = 128, v = 128): SwappedFace => ({
  y: plane(width, height, luma),
  u: plane(width / 2, height / 2, u),
  v: plane(width / 2, height / 2, v),
  mask: plane(width / 2, height / 2, mask),
  points: new Float32Array(meshPoints * 2),
})
