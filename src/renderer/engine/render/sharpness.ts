/**
 * @file Gives the drawn face the sharpness of the video in the same frame. A face with sharper lashes and pores than the hair
 * and the ears around it wasn't filmed with them, and one that is softer looks like wax.
 */
import type { Canvas } from '../common/canvas.ts'
import { leftBrow, leftEye, rightBrow, rightEye } from '../face/topology.ts'
import { kernels, Room } from '../kernels/kernels.ts'
import { copyRows } from '../raster/boxes.ts'
import { lumaScale } from './blend.ts'
import type { Grain } from './grain.ts'
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
/** Most that a face is sharpened, as a share of its difference from the blurred version. */
const mostSharpened = 0.5

/** How to blur a picture. */
export interface Softness {
  radius: number
  /** Of the blurred version, up to 1. Below 0 the picture is sharpened. */
  share: number
}

/** Changes nothing. */
export const asSharp: Softness = { radius: usualRadius, share: 0 }

/**
 * How sharp a picture is: the root of the energy of differences between neighbours in a row over that of pixels which are
 * `coarse` apart. Contrast and light don't change it. A step has 1/2, a ramp over `coarse` pixels and more 1/4. What lies within
 * `reach` of the border isn't looked at.
 */
export const sharpnessOf = (plane: Uint8Array, width: number, height: number): number =>
  sharpnessAt(new Room().copy(plane), width, height)

/** @param at the plane's address */
const sharpnessAt = (at: number, width: number, height: number): number =>
  Math.sqrt(kernels.sharpness(at, width, height, coarse, reach))

/**
 * How much the drawn face has to be blurred or sharpened, measured at brows and eyes. It isn't sharpened so far that its skin
 * has more grain than the video's: a small picture's faults would stand out.
 * @param landmarks x, y in the frame @param grainOf measures the grain of both
 */
export function softnessOf(
  { box, under }: FaceCrop,
  drawn: Uint8Array,
  landmarks: Float32Array,
  grainOf: () => Grain,
): Softness {
  const at = (axis: 0 | 1, start: number, length: number): [number, number] => {
    const places = edges.map((point) => (landmarks[point * 2 + axis] ?? 0) - start)
    return [Math.max(0, Math.floor(Math.min(...places))), Math.min(length, Math.ceil(Math.max(...places)))]
  }
  const [left, right] = at(0, box.left, box.width)
  const [top, bottom] = at(1, box.top, box.height)
  const [width, height] = [right - left, bottom - top]
  if (width < 4 * coarse || height < 2 * coarse) return asSharp
  const room = new Room()
  const [own, other, scratch] = [0, 1, 2].map(() => room.take(width * height)) as [number, number, number]
  const cut = (plane: Uint8Array, at: number): number => {
    copyRows(plane, top * box.width + left, box.width, width, height, room.bytes(at, width * height))
    return sharpnessAt(at, width, height)
  }
  const [is, wanted] = [cut(drawn, own), cut(under.y, other)]
  const needed = (radius: number): Softness => {
    room.bytes(other, width * height).set(room.bytes(own, width * height))
    kernels.blur(other, scratch, width, height, radius)
    return { radius, share: (is - wanted) / Math.max(1e-6, is - sharpnessAt(other, width, height)) }
  }
  const usual = needed(usualRadius)
  const { radius, share } = usual.share > 1 ? needed(largeRadius) : usual
  if (share >= 0) return { radius, share: Math.min(1, share) * bounded }
  const { own: grain, target } = grainOf()
  const most = Math.min(mostSharpened, Math.max(0, target / Math.max(1, grain) - 1))
  return { radius, share: Math.max(share * bounded, -most) }
}

/**
 * Mixes a share of its blurred version into a plane, in place, where the mask isn't 0. Within `reach` of the border, the plane
 * stays.
 * @param mask of half the width and height
 */
export function soften(
  plane: Uint8Array,
  mask: Uint8Array,
  { width, height }: Canvas,
  { radius, share }: Softness,
): void {
  if (share === 0) return
  const room = new Room()
  const at = room.copy(plane)
  kernels.soften(at, room.copy(mask), width, height, radius, lumaScale(share))
  plane.set(room.bytes(at, plane.length))
}
