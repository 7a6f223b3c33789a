/** @file Pictures in another size. */
import type { Size } from '@shared/tasks/output.ts'
import { Scaler } from '../pixels/scale.ts'
import type { Pixels } from './open-picture.ts'

/** A picture in another size; the same object if it has that size. Colours count as much as they are opaque. */
export function scaled(picture: Pixels, { width, height }: Size): Pixels {
  if (picture.width === width && picture.height === height) return picture
  const { rgba } = picture
  const scaler = new Scaler(picture, { width, height })
  const result = new Uint8ClampedArray(width * height * 4)
  const plane = new Uint8Array(rgba.length / 4)
  const out = new Uint8Array(width * height)
  // Alpha first, because the colours are divided by it.
  for (const channel of [3, 0, 1, 2]) {
    for (let at = 0; at < plane.length; at += 1) {
      const value = rgba[at * 4 + channel] ?? 0
      plane[at] = channel === 3 ? value : Math.round((value * (rgba[at * 4 + 3] ?? 0)) / 255)
    }
    scaler.scale(plane, out)
    for (let at = 0; at < out.length; at += 1) {
      const value = out[at] ?? 0
      result[at * 4 + channel] = channel === 3 ? value : (value * 255) / (result[at * 4 + 3] || 1)
    }
  }
  return { rgba: result, width, height }
}
