/**
 * @file Draws the source's eyes into a frame, in place. The light is measured at the video's eyes, not at its skin: the
 * white of an eye is about as light in everybody, whatever the skin.
 */
import { smoothstep } from '../common/smoothstep.ts'
import type { Canvas } from '../common/canvas.ts'
import { chromaOf, type Planes } from '../media/pixels/planes.ts'
import { coverOver, keepOcclusion, type ProjectedOcclusion } from '../occlusion/occlusion-map.ts'
import { boundsIn } from '../raster/bounds-in.ts'
import { copyBox } from '../raster/copy-box.ts'
import { rasterise, type Mesh } from '../raster/raster.ts'
import type { EyePicture, SourceLevel } from '../source/source-face.ts'
import { eyeFlags, eyeTriangles, eyeWeights, placeEye, type PlacedEye } from './eye-mesh.ts'
import type { EyesOpen } from './lids.ts'

/** Bounds of the ratio of the video's eye to the source's. */
const minGain = 0.3
const maxGain = 1.3
/** Weight of a ratio of 1, in pixels per face width squared: a shut eye has little to measure. */
const prior = 0.0004
/** Share of the difference in hue that is taken over, and its maximum. */
const tintShare = 0.85
const maxTint = 24
/** Hue stays this close to the eye's mean: the white of a painted eye can be as yellow as gold. */
const maxHue = 14
/** Openness, as a share of the usual one, up to which an eye is the video's, and from which it is the source's. */
const shut = 0.25
const open = 0.75
/** Mask inside of the lids. */
const within = 250

export interface EyesInFrame {
  eyes: readonly [EyePicture, EyePicture]
  open: EyesOpen
  /** Which of the source's sizes fits the frame. */
  level: number
  /** x, y of the 478 landmarks in the frame. */
  landmarks: Float32Array
  /** The same with the source's proportions. */
  shaped: Float32Array
  /** In the frame's pixels. */
  faceWidth: number
}

/**
 * @param opacity 0…1
 * @param occlusions occlusion maps of this frame; covered pixels are not changed
 */
export function drawEyes(
  { eyes, open: eyesOpen, level, landmarks, shaped, faceWidth }: EyesInFrame,
  frame: Planes,
  opacity: number,
  occlusions: readonly ProjectedOcclusion[],
): void {
  for (const index of [0, 1] as const) {
    const share = smoothstep(shut, open, eyesOpen[index])
    if (share === 0) continue
    const { eye, levels } = eyes[index]
    const size = levels[level]
    const drawn = size && draw(placeEye(index, eye, landmarks, shaped), size, frame)
    const inPlace = size && draw(placeEye(index, eye, landmarks, landmarks), size, frame)
    if (!drawn || !inPlace) continue
    const light = lightOf(inPlace, frame, faceWidth)
    if (occlusions.length > 0) keepOcclusion(coverOver(occlusions, drawn.small, drawn.mask), drawn.mask)
    blendEye(drawn, frame, light, opacity * share)
  }
}

interface DrawnEye {
  /** In the frame's pixels, and at half size. */
  box: Canvas
  small: Canvas
  y: Uint8Array
  /** Chroma and mask have half the width and height. */
  u: Uint8Array
  v: Uint8Array
  mask: Uint8Array
}

/** Null outside of the frame. */
function draw({ to, from }: PlacedEye, { planes, scale }: SourceLevel, frame: Planes): DrawnEye | null {
  const box = boundsIn(to, to.length / 2, frame)
  if (!box) return null
  const small: Canvas = { left: box.left / 2, top: box.top / 2, width: box.width / 2, height: box.height / 2 }
  const size = box.width * box.height
  const [y, u, v, mask] = [size, size / 4, size / 4, size / 4].map((length) => new Uint8Array(length)) as Four
  // The mask is coarser than the luma, so pixels at its edge may be painted that weren't drawn.
  copyBox(frame.y, box.top * frame.width + box.left, frame.width, box.width, box.height, y)
  const mesh = (by: number): Mesh => ({
    triangles: eyeTriangles,
    to: to.map((value) => value * by),
    from: from.map((value) => value * scale * by),
    weights: eyeWeights,
    flags: eyeFlags,
  })
  rasterise(mesh(1), box, { data: planes.y, width: planes.width, height: planes.height }, y, null)
  const chroma = { width: chromaOf(planes.width), height: chromaOf(planes.height) }
  const second = { texture: { data: planes.v, ...chroma }, out: v }
  rasterise(mesh(0.5), small, { data: planes.u, ...chroma }, u, mask, second)
  return { box, small, y, u, v, mask }
}

type Four = [Uint8Array, Uint8Array, Uint8Array, Uint8Array]

interface EyeLight {
  /** The video's luma above black to the source's. */
  gain: number
  /** By chroma plane: the mean of the source's eye, and what to add to it. */
  hues: readonly [Hue, Hue]
}

interface Hue {
  mean: number
  tint: number
}

/** Compares an eye, drawn where the video's is, with the video's. */
function lightOf({ box, small, y, u, v, mask }: DrawnEye, frame: Planes, faceWidth: number): EyeLight {
  const stride = chromaOf(frame.width)
  let count = 0
  let [ownY, ownU, ownV] = [0, 0, 0]
  let [foundY, foundU, foundV] = [0, 0, 0]
  for (let row = 0; row < small.height; row += 1) {
    const lumaLine = (box.top + row * 2) * frame.width + box.left
    const chromaLine = (small.top + row) * stride + small.left
    for (let column = 0; column < small.width; column += 1) {
      const pixel = row * small.width + column
      if ((mask[pixel] ?? 0) < within) continue
      count += 1
      ownY += y[row * 2 * box.width + column * 2] ?? 0
      ownU += u[pixel] ?? 0
      ownV += v[pixel] ?? 0
      foundY += frame.y[lumaLine + column * 2] ?? 0
      foundU += frame.u[chromaLine + column] ?? 0
      foundV += frame.v[chromaLine + column] ?? 0
    }
  }
  const unseen = prior * faceWidth * faceWidth
  const black = 16 * count
  const mean = count === 0 ? 1 : (ownY - black) / count
  const gain = (foundY - black + unseen * mean) / Math.max(1, ownY - black + unseen * mean)
  const hue = (own: number, found: number): Hue => ({
    mean: count === 0 ? 128 : own / count,
    tint: bounded(((found - own) / (count + unseen)) * tintShare, maxTint),
  })
  return { gain: Math.min(maxGain, Math.max(minGain, gain)), hues: [hue(ownU, foundU), hue(ownV, foundV)] }
}

const bounded = (value: number, max: number): number => Math.min(max, Math.max(-max, value))

function blendEye({ box, small, y, u, v, mask }: DrawnEye, frame: Planes, light: EyeLight, opacity: number): void {
  const { gain } = light
  for (let row = 0; row < box.height; row += 1) {
    const shares = (row >> 1) * small.width
    const to = (box.top + row) * frame.width + box.left
    for (let column = 0; column < box.width; column += 1) {
      const weight = mask[shares + (column >> 1)] ?? 0
      if (weight === 0) continue
      const was = frame.y[to + column] ?? 0
      const lit = ((y[row * box.width + column] ?? 0) - 16) * gain + 16
      frame.y[to + column] = Math.min(255, was + (lit - was) * smoothstep(0, within, weight) * opacity)
    }
  }
  blendHue(u, frame.u, small, chromaOf(frame.width), mask, light.hues[0], opacity)
  blendHue(v, frame.v, small, chromaOf(frame.width), mask, light.hues[1], opacity)
}

function blendHue(
  own: Uint8Array,
  plane: Uint8Array,
  { left, top, width, height }: Canvas,
  stride: number,
  mask: Uint8Array,
  { mean, tint }: Hue,
  opacity: number,
): void {
  for (let row = 0; row < height; row += 1) {
    const to = (top + row) * stride + left
    for (let column = 0; column < width; column += 1) {
      const weight = mask[row * width + column] ?? 0
      if (weight === 0) continue
      const was = plane[to + column] ?? 0
      const tinted = mean + bounded((own[row * width + column] ?? 0) - mean, maxHue) + tint
      plane[to + column] = was + (tinted - was) * smoothstep(0, within, weight) * opacity
    }
  }
}
