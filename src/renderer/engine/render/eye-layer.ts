/**
 * @file Draws the source's eyes into a frame, in place. The light is measured at the video's eyes, not at its skin: the
 * white of an eye is about as light in everybody, whatever the skin.
 */
import { smoothstep } from '../common/smoothstep.ts'
import type { Canvas } from '../common/canvas.ts'
import { chromaOf, type Planes } from '../media/pixels/planes.ts'
import { coverOver, keepOcclusion, type ProjectedOcclusion } from '../occlusion/occlusion-map.ts'
import { boundsIn, copyRows } from '../raster/boxes.ts'
import { rasterise, type Mesh } from '../raster/raster.ts'
import type { EyePicture, SourceLevel } from '../source/source-face.ts'
import { soften, type Softness } from './sharpness.ts'
import { eyeFlags, eyeTriangles, eyeWeights, placeEye, type PlacedEye, type EyesOpen } from './eye-mesh.ts'

/** Bounds of the ratio of the contrast in the video's eye to that in the source's. */
const minGain = 0.05
const maxGain = 1.6
/** Share of an eye's pixels that count as its lightest and as its darkest: no iris, neither a light nor a dark one. */
const lightest = 0.2
const darkest = 0.1
/** Weight of the source's own light, in pixels per face width squared: a shut eye has little to measure. */
const prior = 0.0004
/** Max luma of the white of an eye, as a multiple of the lightest skin's. Both are counted from black. */
const maxWhite = 1.4
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
  softness: Softness
  /** Luma of the lightest skin of the video's face. */
  skin: number
}

/**
 * @param opacity 0…1
 * @param occlusions occlusion maps of this frame; covered pixels are not changed
 * @returns where it drew, in the frame's pixels
 */
export function drawEyes(
  { eyes, open: eyesOpen, level, landmarks, shaped, faceWidth, softness, skin }: EyesInFrame,
  frame: Planes,
  opacity: number,
  occlusions: readonly ProjectedOcclusion[],
): Canvas[] {
  const boxes: Canvas[] = []
  for (const index of [0, 1] as const) {
    const share = smoothstep(shut, open, eyesOpen[index])
    if (share === 0) continue
    const { eye, levels } = eyes[index]
    const size = levels[level]
    const drawn = size && draw(placeEye(index, eye, landmarks, shaped), size, frame)
    const inPlace = size && draw(placeEye(index, eye, landmarks, landmarks), size, frame)
    if (!drawn || !inPlace) continue
    // What covers the eye, such as the rim of glasses, has another light.
    if (occlusions.length > 0)
      for (const { small, mask } of [drawn, inPlace]) keepOcclusion(coverOver(occlusions, small, mask), mask)
    const light = lightOf(inPlace, frame, faceWidth, skin)
    soften(drawn.y, drawn.mask, drawn.box, softness)
    blendEye(drawn, frame, light, opacity * share)
    boxes.push(drawn.box)
  }
  return boxes
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
  copyRows(frame.y, box.top * frame.width + box.left, frame.width, box.width, box.height, y)
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
  /** Luma: what is added after the gain, and the gain. */
  offset: number
  gain: number
  /** Luma of the source's white. */
  white: number
  /** Factor of the source's chroma, which falls with the light. */
  chromaGain: number
  /** By chroma plane: the mean of the source's eye, and what to add to its white: to less light, less. */
  hues: readonly [Hue, Hue]
}

interface Hue {
  mean: number
  tint: number
}

/**
 * Compares an eye, drawn where the video's is, with the video's. The white of both gets the same light and hue, and what is
 * darkest the same depth: so a light iris stays light between a white and a pupil as clear as the video's.
 */
function lightOf({ box, small, y, u, v, mask }: DrawnEye, frame: Planes, faceWidth: number, skin: number): EyeLight {
  const stride = chromaOf(frame.width)
  const own = new EyeTones()
  const found = new EyeTones()
  for (let row = 0; row < small.height; row += 1) {
    const lumaLine = (box.top + row * 2) * frame.width + box.left
    const chromaLine = (small.top + row) * stride + small.left
    for (let column = 0; column < small.width; column += 1) {
      const pixel = row * small.width + column
      if ((mask[pixel] ?? 0) < within) continue
      own.add(y[row * 2 * box.width + column * 2] ?? 0, u[pixel] ?? 0, v[pixel] ?? 0)
      const at = chromaLine + column
      found.add(frame.y[lumaLine + column * 2] ?? 0, frame.u[at] ?? 0, frame.v[at] ?? 0)
    }
  }
  const seen = own.count / (own.count + prior * faceWidth * faceWidth || 1)
  const [light, dark] = [own.light(), own.dark()]
  const [toLight, toDark] = [found.light(), found.dark()]
  // The source's own light, as far as this video can have it.
  const dimmed = Math.min(1, (Math.max(0, skin - 16) * maxWhite) / Math.max(1, light.y - 16))
  const priorOf = (luma: number): number => 16 + (luma - 16) * dimmed
  const white = priorOf(light.y) * (1 - seen) + toLight.y * seen
  const black = priorOf(dark.y) * (1 - seen) + toDark.y * seen
  const gain = Math.min(maxGain, Math.max(minGain, (white - black) / Math.max(1, light.y - dark.y)))
  const chromaGain = Math.min(1, Math.max(0, white - 16) / Math.max(1, light.y - 16))
  const hue = (mean: number, from: number, to: number): Hue => ({
    mean,
    tint: bounded((to - 128 - (from - 128) * chromaGain) * seen * tintShare, maxTint),
  })
  const mean = own.mean()
  return {
    gain,
    offset: white - light.y * gain,
    white: light.y,
    chromaGain,
    hues: [hue(mean.u, light.u, toLight.u), hue(mean.v, light.v, toLight.v)],
  }
}

interface Tone {
  y: number
  u: number
  v: number
}

/** The lightest and the darkest pixels of an eye. */
class EyeTones {
  count = 0
  readonly #counts = new Uint32Array(256)
  readonly #u = new Float64Array(256)
  readonly #v = new Float64Array(256)

  add(y: number, u: number, v: number): void {
    this.count += 1
    this.#counts[y] = (this.#counts[y] ?? 0) + 1
    this.#u[y] = (this.#u[y] ?? 0) + u
    this.#v[y] = (this.#v[y] ?? 0) + v
  }

  light(): Tone {
    return this.#from(255, -1, lightest)
  }

  dark(): Tone {
    return this.#from(0, 1, darkest)
  }

  mean(): Tone {
    return this.#from(0, 1, 1)
  }

  /** The mean of a share of all pixels, from one end on. Grey without pixels. */
  #from(first: number, step: 1 | -1, share: number): Tone {
    let left = this.count * share
    if (left === 0) return { y: 128, u: 128, v: 128 }
    const total = left
    const sum: Tone = { y: 0, u: 0, v: 0 }
    for (let level = first; left > 0; level += step) {
      const there = this.#counts[level] ?? 0
      if (there === 0) continue
      const taken = Math.min(there, left)
      left -= taken
      sum.y += level * taken
      sum.u += ((this.#u[level] ?? 0) / there) * taken
      sum.v += ((this.#v[level] ?? 0) / there) * taken
    }
    return { y: sum.y / total, u: sum.u / total, v: sum.v / total }
  }
}

const bounded = (value: number, max: number): number => Math.min(max, Math.max(-max, value))

function blendEye(drawn: DrawnEye, frame: Planes, light: EyeLight, opacity: number): void {
  const { box, small, y, u, v, mask } = drawn
  const { gain, offset } = light
  for (let row = 0; row < box.height; row += 1) {
    const shares = (row >> 1) * small.width
    const to = (box.top + row) * frame.width + box.left
    for (let column = 0; column < box.width; column += 1) {
      const weight = mask[shares + (column >> 1)] ?? 0
      if (weight === 0) continue
      const was = frame.y[to + column] ?? 0
      const lit = (y[row * box.width + column] ?? 0) * gain + offset
      frame.y[to + column] = Math.min(255, Math.max(0, was + (lit - was) * smoothstep(0, within, weight) * opacity))
    }
  }
  blendHue(drawn, u, frame.u, chromaOf(frame.width), light, light.hues[0], opacity)
  blendHue(drawn, v, frame.v, chromaOf(frame.width), light, light.hues[1], opacity)
}

/** The source's white takes the whole tint. */
function blendHue(
  { box, small, y, mask }: DrawnEye,
  own: Uint8Array,
  plane: Uint8Array,
  stride: number,
  { white, chromaGain }: EyeLight,
  { mean, tint }: Hue,
  opacity: number,
): void {
  for (let row = 0; row < small.height; row += 1) {
    const to = (small.top + row) * stride + small.left
    for (let column = 0; column < small.width; column += 1) {
      const at = row * small.width + column
      const weight = mask[at] ?? 0
      if (weight === 0) continue
      const was = plane[to + column] ?? 0
      const lit = Math.min(1, Math.max(0, ((y[row * 2 * box.width + column * 2] ?? 0) - 16) / Math.max(1, white - 16)))
      const tinted = 128 + (mean - 128 + bounded((own[at] ?? 0) - mean, maxHue)) * chromaGain + tint * lit
      plane[to + column] = was + (tinted - was) * smoothstep(0, within, weight) * opacity
    }
  }
}
