/**
 * @file Draws the source's eyes into a frame, in place. The light is measured at the video's eyes, not at its skin: the
 * white of an eye is about as light in everybody, whatever the skin.
 */
import { smoothstep } from '../common/smoothstep.ts'
import { chromaOf, type Canvas, type Planes } from '../media/pixels/planes.ts'
import { coverOver, keepOcclusion, type ProjectedOcclusion } from '../occlusion/occlusion-map.ts'
import { boundsIn } from '../raster/bounds-in.ts'
import { copyBox } from '../raster/copy-box.ts'
import { rasterise, type Mesh } from '../raster/raster.ts'
import type { SourceEye } from '../source/source-eyes.ts'
import type { SourceLevel } from '../source/source-face.ts'
import { eyeFlags, eyeTriangles, eyeWeights, placeEye, type PlacedEye } from './eye-mesh.ts'

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
/** Mask inside of the lids. */
const within = 250

export interface EyesInFrame {
  eyes: readonly [SourceEye, SourceEye]
  /** The size of the source that fits the frame. */
  level: SourceLevel
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
  { eyes, level, landmarks, shaped, faceWidth }: EyesInFrame,
  frame: Planes,
  opacity: number,
  occlusions: readonly ProjectedOcclusion[],
): void {
  for (const index of [0, 1] as const) {
    const drawn = draw(placeEye(index, eyes[index], landmarks, shaped), level, frame)
    const inPlace = draw(placeEye(index, eyes[index], landmarks, landmarks), level, frame)
    if (!drawn || !inPlace) continue
    const light = lightOf(inPlace, frame, faceWidth)
    if (occlusions.length > 0) keepOcclusion(coverOver(occlusions, drawn.small, drawn.mask), drawn.mask)
    blendEye(drawn, frame, light, opacity)
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
  const own = [0, 0, 0]
  const found = [0, 0, 0]
  const add = (sums: number[], values: readonly (number | undefined)[]): void => {
    for (const [at, value = 0] of values.entries()) sums[at] = (sums[at] ?? 0) + value
  }
  for (let row = 0; row < small.height; row += 1) {
    for (let column = 0; column < small.width; column += 1) {
      const pixel = row * small.width + column
      if ((mask[pixel] ?? 0) < within) continue
      const luma = (box.top + row * 2) * frame.width + box.left + column * 2
      const chroma = (small.top + row) * stride + small.left + column
      count += 1
      add(own, [y[row * 2 * box.width + column * 2], u[pixel], v[pixel]])
      add(found, [frame.y[luma], frame.u[chroma], frame.v[chroma]])
    }
  }
  const of = (sums: number[], at: number): number => sums[at] ?? 0
  const unseen = prior * faceWidth * faceWidth
  const black = 16 * count
  const mean = count === 0 ? 1 : (of(own, 0) - black) / count
  const gain = (of(found, 0) - black + unseen * mean) / Math.max(1, of(own, 0) - black + unseen * mean)
  const hue = (plane: number): Hue => {
    const tint = ((of(found, plane) - of(own, plane)) / (count + unseen)) * tintShare
    return { mean: count === 0 ? 128 : of(own, plane) / count, tint: bounded(tint, maxTint) }
  }
  return { gain: Math.min(maxGain, Math.max(minGain, gain)), hues: [hue(1), hue(2)] }
}

const bounded = (value: number, max: number): number => Math.min(max, Math.max(-max, value))

function blendEye({ box, small, y, u, v, mask }: DrawnEye, frame: Planes, light: EyeLight, opacity: number): void {
  const stride = chromaOf(frame.width)
  const planes = [
    { own: u, plane: frame.u, hue: light.hues[0] },
    { own: v, plane: frame.v, hue: light.hues[1] },
  ] as const
  for (let row = 0; row < small.height; row += 1) {
    for (let column = 0; column < small.width; column += 1) {
      const pixel = row * small.width + column
      const share = smoothstep(0, within, mask[pixel] ?? 0) * opacity
      if (share === 0) continue
      for (let part = 0; part < 4; part += 1) {
        const [x, line] = [column * 2 + (part & 1), row * 2 + (part >> 1)]
        const at = (box.top + line) * frame.width + box.left + x
        const was = frame.y[at] ?? 0
        const lit = ((y[line * box.width + x] ?? 0) - 16) * light.gain + 16
        frame.y[at] = Math.min(255, was + (lit - was) * share)
      }
      const at = (small.top + row) * stride + small.left + column
      for (const { own, plane, hue } of planes) {
        const was = plane[at] ?? 0
        const tinted = hue.mean + bounded((own[pixel] ?? 0) - hue.mean, maxHue) + hue.tint
        plane[at] = was + (tinted - was) * share
      }
    }
  }
}
