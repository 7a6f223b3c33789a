/** @file A small picture of a face on a frame. */
import type { Affine } from '../common/affine.ts'
import { regionBounds, type Region } from '../face/region.ts'
import { sampleRegion } from '../face/sampling.ts'
import { draw, toJpeg } from '../media/pixels/picture.ts'
import { cutPatch, type ColorModel, type Planes } from '../media/pixels/planes.ts'

/** Pixels. */
const side = 128

/** @param view maps upright to coded pixels */
export function facePicture(frame: Planes, color: ColorModel, view: Affine, region: Region): Promise<Blob> {
  const upright = { ...region, angle: 0 }
  const values = new Float32Array(side * side * 3)
  const patch = cutPatch(frame, color, regionBounds(upright, view, 1.02))
  if (patch) sampleRegion({ patch, view }, upright, side, [0, 255], values)
  const canvas = draw(side, side, (context) => {
    const pixels = context.createImageData(side, side)
    for (let at = 0; at < side * side; at += 1) {
      for (let channel = 0; channel < 3; channel += 1) pixels.data[at * 4 + channel] = values[at * 3 + channel] ?? 0
      pixels.data[at * 4 + 3] = 255
    }
    context.putImageData(pixels, 0, 0)
  })
  return toJpeg(canvas)
}
