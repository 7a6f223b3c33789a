/** @file A small picture of a face on a frame. */
import type { Affine } from '../common/affine.ts'
import { compose } from '../common/affine.ts'
import { regionBounds, regionToUpright, type Region } from '../face/region.ts'
import { sampleSquare } from '../face/sampling.ts'
import { draw, toJpeg } from '../media/pixels/picture.ts'
import { cutPatch, halve, type ColorModel, type Planes } from '../media/pixels/planes.ts'

/** Pixels. */
const side = 128

/** @param view maps upright to coded pixels */
export function facePicture(frame: Planes, color: ColorModel, view: Affine, region: Region): Promise<Blob> {
  const upright = { ...region, angle: 0 }
  let [small, map] = [frame, compose(view, regionToUpright(upright))]
  let bounds = regionBounds(upright, view, 1.02)
  // More than two pixels for each of the picture would flicker.
  for (let size = region.size * Math.hypot(view.a, view.d); size > side * 2; size /= 2) {
    small = halve(small)
    map = { a: map.a / 2, b: map.b / 2, c: map.c / 2, d: map.d / 2, e: map.e / 2, f: map.f / 2 }
    bounds = { left: bounds.left / 2, top: bounds.top / 2, right: bounds.right / 2, bottom: bounds.bottom / 2 }
  }
  const values = new Float32Array(side * side * 3)
  const patch = cutPatch(small, color, bounds)
  if (patch) sampleSquare(patch, map, side, [0, 255], 'edge', values)
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
