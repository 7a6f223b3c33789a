/**
 * @file Bounds the sharpness of the drawn face by the video's own in the same frame. A face with sharper lashes and pores than
 * the hair and the ears around it wasn't filmed with them.
 */
import type { Canvas } from '../common/canvas.ts'
import { leftBrow, leftEye, rightBrow, rightEye } from '../face/topology.ts'
import { kernels, Room } from '../kernels/kernels.ts'
import type { FaceCrop } from './swap-method.ts'

/** Brows and eyes have the strongest edges of a face in every light. */
const edges = [...rightBrow, ...leftBrow, ...rightEye, ...leftEye]
/** Distance in pixels over which an edge is compared with the finest detail. */
const coarse = 4
/** Radii of the box blur, which is applied twice. The larger one is for very soft videos. */
const usualRadius = 1
const largeRadius = 2
/** Pixels that the larger blur reaches. */
const reach = 2 * largeRadius
/** Share of what would make both equally sharp. With all of it, faces in a webcam's picture are less like themselves. */
const bounded = 0.7

/** How to blur a picture: by which radius, and the share of the blurred version, 0…1. */
export interface Softness {
  radius: number
  share: number
}

/** Changes nothing. */
export const asSharp: Softness = { radius: usualRadius, share: 0 }

/**
 * How sharp a picture is: the root of the energy of differences between neighbours in a row over that of pixels which are
 * `coarse` apart. Contrast and light don't change it. A step has 1/2, a ramp over `coarse` pixels and more 1/4. What lies within
 * `reach` of the border isn't looked at.
 */
export function sharpnessOf(plane: Uint8Array, width: number, height: number): number {
  let near = 0
  let far = 0
  for (let row = reach; row < height - reach; row += 1)
    for (let at = row * width + reach; at < (row + 1) * width - reach - coarse; at += 1) {
      const value = plane[at] ?? 0
      near += ((plane[at + 1] ?? 0) - value) ** 2
      far += ((plane[at + coarse] ?? 0) - value) ** 2
    }
  return far > 0 ? Math.sqrt(near / far) : 0
}

/**
 * How much the drawn face has to be blurred, measured at brows and eyes.
 * @param landmarks x, y in the frame
 */
export function softnessOf({ box, under }: FaceCrop, drawn: Uint8Array, landmarks: Float32Array): Softness {
  const at = (axis: 0 | 1, start: number, length: number): [number, number] => {
    const places = edges.map((point) => (landmarks[point * 2 + axis] ?? 0) - start)
    return [Math.max(0, Math.floor(Math.min(...places))), Math.min(length, Math.ceil(Math.max(...places)))]
  }
  const [left, right] = at(0, box.left, box.width)
  const [top, bottom] = at(1, box.top, box.height)
  const [width, height] = [right - left, bottom - top]
  if (width < 4 * coarse || height < 2 * coarse) return asSharp
  const part = (plane: Uint8Array): Uint8Array => {
    const to = new Uint8Array(width * height)
    for (let row = 0; row < height; row += 1) {
      const from = (top + row) * box.width + left
      to.set(plane.subarray(from, from + width), row * width)
    }
    return to
  }
  const own = part(drawn)
  const [is, wanted] = [sharpnessOf(own, width, height), sharpnessOf(part(under.y), width, height)]
  if (is <= wanted) return asSharp
  const needed = (radius: number): Softness => {
    const blurred = sharpnessOf(blurredOf(own, width, height, radius), width, height)
    return { radius, share: (is - wanted) / Math.max(1e-6, is - blurred) }
  }
  const usual = needed(usualRadius)
  const { radius, share } = usual.share > 1 ? needed(largeRadius) : usual
  return { radius, share: Math.min(1, share) * bounded }
}

/** Towards the border, where the blur would read black, it is the plane itself. */
function blurredOf(plane: Uint8Array, width: number, height: number, radius: number): Uint8Array {
  const room = new Room()
  const at = room.copy(plane)
  kernels.blur(at, room.take(plane.length), width, height, radius)
  const blurred = plane.slice()
  const from = room.bytes(at, plane.length)
  for (let row = reach; row < height - reach; row += 1)
    blurred.set(from.subarray(row * width + reach, (row + 1) * width - reach), row * width + reach)
  return blurred
}

/**
 * Mixes a share of its blurred version into a plane, in place, where the mask isn't 0.
 * @param mask of half the width and height
 */
export function soften(
  plane: Uint8Array,
  mask: Uint8Array,
  { width, height }: Canvas,
  { radius, share }: Softness,
): void {
  if (share === 0) return
  const blurred = blurredOf(plane, width, height, radius)
  const room = new Room()
  const places = [room.copy(blurred), room.copy(plane), room.copy(mask)] as const
  // A grid of one cell that changes nothing.
  const fields = [room.copy(Float32Array.of(1)), room.copy(Float32Array.of(0)), 1, 1, width + height] as const
  kernels.blend_luma(...places, width, height, ...fields, Math.round((share * 4096 * 4096) / 4080))
  plane.set(room.bytes(places[1], plane.length))
}
