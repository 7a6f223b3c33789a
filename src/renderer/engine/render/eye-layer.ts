/**
 * @file Moves the video's eyes to where the drawn lids are, in place, and gives their irises the colour of the source's. White,
 * light, gaze and blinks stay the video's: they fit its light and each other, and drawn eyes hardly ever do.
 */
import { smoothstep } from '../common/smoothstep.ts'
import type { Canvas } from '../common/canvas.ts'
import { chromaOf, createPlanes, type Planes } from '../media/pixels/planes.ts'
import { coverOver, keepOcclusion, type ProjectedOcclusion } from '../occlusion/occlusion-map.ts'
import { boundsIn, copyBox } from '../raster/boxes.ts'
import { halved, rasterise, type Mesh } from '../raster/raster.ts'
import { meanTones, tonesOf, type EyeTones, type Iris, type Tone } from '../face/eye-tones.ts'
import { mix } from './blend.ts'
import { eyeFlags, eyeTriangles, eyeWeights, placeEye, type PlacedEye } from './eye-mesh.ts'

/** Bounds of the factor of an iris's luma, and of the change of its hue in levels. */
const minGain = 0.55
const maxGain = 1.8
const maxTint = 24
/** Where the colour of the iris fades out, in its radii. */
const rimFrom = 0.85
const rimTo = 1.1
/** Radius of an iris in pixels up to which it keeps its colour, and from which it gets the whole of the source's. */
const smallest = 5
const large = 9
/** Mask inside of the lids. */
const within = 250

export interface EyesInFrame {
  /** x, y of the 478 landmarks in the frame. */
  landmarks: Float32Array
  /** The same with the source's proportions. */
  shaped: Float32Array
  /** Of the source. Null: irises keep their colour. */
  tones: EyeTones | null
}

/**
 * @param opacity 0…1
 * @param occlusions occlusion maps of this frame; covered pixels are not changed
 * @returns where it drew, in the frame's pixels
 */
export function drawEyes(
  { landmarks, shaped, tones: source }: EyesInFrame,
  frame: Planes,
  opacity: number,
  occlusions: readonly ProjectedOcclusion[],
): Canvas[] {
  const eyes = ([0, 1] as const).flatMap((index) => {
    const eye = moved(placeEye(index, landmarks, shaped), frame)
    // What covers the eye, such as the rim of glasses, doesn't move.
    if (eye && occlusions.length > 0) keepOcclusion(coverOver(occlusions, eye.small, eye.mask, eye.under.y), eye.mask)
    return eye ?? []
  })
  const tones = source
    ? eyes.map(({ y, u, v, small, mask, iris }) =>
        tonesOf({ y, u, v, width: small.width }, iris, (pixel) => (mask[pixel] ?? 0) >= within),
      )
    : []
  // Both irises change alike, as they are alike in the video.
  const own = meanTones(tones.flatMap((each) => each ?? []))
  for (const [index, eye] of eyes.entries()) {
    if (source && own) tintIris(eye, own, source, tones[index]?.seen ?? 0)
    mix({ box: eye.box, frame, under: eye.under }, eye, opacity)
  }
  return eyes.map(({ box }) => box)
}

interface MovedEye {
  /** In the frame's pixels, and at half size. */
  box: Canvas
  small: Canvas
  /** What is in the box now. */
  under: Planes
  y: Uint8Array
  /** Chroma and mask have half the width and height. */
  u: Uint8Array
  v: Uint8Array
  mask: Uint8Array
  /** In the box's pixels. */
  iris: Iris
}

/** Null outside of the frame. @param placed in the frame's pixels */
function moved({ to, from, iris }: PlacedEye, frame: Planes): MovedEye | null {
  const points = new Float32Array(to.length + from.length)
  points.set(to)
  points.set(from, to.length)
  const box = boundsIn(points, points.length / 2, frame)
  if (!box) return null
  const under = createPlanes(box.width, box.height)
  copyBox(frame, box, under)
  const [y, u, v] = [under.y.slice(), under.u.slice(), under.v.slice()]
  const mask = new Uint8Array(u.length)
  const small: Canvas = { left: box.left / 2, top: box.top / 2, width: box.width / 2, height: box.height / 2 }
  const inBox = new Float32Array(from.length)
  for (let at = 0; at < from.length; at += 1) inBox[at] = (from[at] ?? 0) - (at % 2 === 0 ? box.left : box.top)
  const mesh: Mesh = { triangles: eyeTriangles, to, from: inBox, weights: eyeWeights, flags: eyeFlags }
  rasterise(mesh, box, { data: under.y, width: box.width, height: box.height }, y, null)
  const half = { width: chromaOf(box.width), height: chromaOf(box.height) }
  const second = { texture: { data: under.v, ...half }, out: v }
  rasterise({ ...mesh, to: halved(to), from: halved(inBox) }, small, { data: under.u, ...half }, u, mask, second)
  return { box, small, under, y, u, v, mask, iris: { ...iris, x: iris.x - box.left, y: iris.y - box.top } }
}

/**
 * Gives an iris the colour of the source's: its luma lies as far between the eye's dark and its white, and its hue is as far from
 * the white's.
 * @param own tones of the video's eyes @param seen how much of this iris is seen, 0…1
 */
function tintIris({ box, small, y, u, v, iris }: MovedEye, own: EyeTones, source: EyeTones, seen: number): void {
  // The chroma of a small eye is largely that of the skin around.
  const sure = smoothstep(smallest, large, iris.radius)
  const strength = seen * sure
  if (strength === 0) return
  const share = Math.min(1, Math.max(0, (source.iris.y - source.dark.y) / Math.max(1, source.white.y - source.dark.y)))
  const wanted = own.dark.y + share * Math.max(0, own.white.y - own.dark.y)
  const gain = 1 + (Math.min(maxGain, Math.max(minGain, (wanted - 16) / Math.max(1, own.iris.y - 16))) - 1) * strength
  const tint = (plane: 'u' | 'v'): number => {
    const hue = hueOf(source.iris, plane) - hueOf(source.white, plane) + hueOf(own.white, plane) * sure
    return Math.min(maxTint, Math.max(-maxTint, 128 + hue * (wanted - 16) - own.iris[plane])) * strength
  }
  const [byU, byV] = [tint('u'), tint('v')]
  eachNear(iris, box, (pixel, weight) => {
    y[pixel] = byteOf(16 + ((y[pixel] ?? 0) - 16) * (1 + (gain - 1) * weight))
  })
  const half = { x: iris.x / 2, y: iris.y / 2, radius: iris.radius / 2 }
  eachNear(half, small, (pixel, weight) => {
    u[pixel] = byteOf((u[pixel] ?? 0) + byU * weight)
    v[pixel] = byteOf((v[pixel] ?? 0) + byV * weight)
  })
}

/** Calls `change` for the pixels of an iris, with weights that fade out around it. */
function eachNear(
  { x, y, radius }: Iris,
  { width, height }: Canvas,
  change: (pixel: number, weight: number) => void,
): void {
  const reach = radius * rimTo
  const [right, bottom] = [Math.min(width, x + reach), Math.min(height, y + reach)]
  for (let row = Math.max(0, Math.floor(y - reach)); row < bottom; row += 1)
    for (let column = Math.max(0, Math.floor(x - reach)); column < right; column += 1) {
      // Not `hypot`, which takes as long as all the rest.
      const away = Math.sqrt((column + 0.5 - x) ** 2 + (row + 0.5 - y) ** 2) / radius
      if (away < rimTo) change(row * width + column, 1 - smoothstep(rimFrom, rimTo, away))
    }
}

const byteOf = (value: number): number => Math.min(255, Math.max(0, Math.round(value)))

/** Chroma in proportion to luma. */
const hueOf = (tone: Tone, plane: 'u' | 'v'): number => (tone[plane] - 128) / Math.max(1, tone.y - 16)
