/** @file The part of a frame that holds a face, as a renderer gives it to a swap method. */
import type { Canvas } from '../../../src/renderer/engine/common/canvas.ts'
import { createPlanes, type Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { copyBox } from '../../../src/renderer/engine/raster/copy-box.ts'
import type { FaceCrop } from '../../../src/renderer/engine/render/swap-method.ts'

export function faceCrop(frame: Planes, box: Canvas, faceWidth: number): FaceCrop {
  const under = createPlanes(box.width, box.height)
  copyBox(frame, box, under)
  return { frame, box, under, faceWidth }
}
