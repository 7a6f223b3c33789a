/**
 * @file Renders the source's face onto a frame, in place, within the face's bounding box. What render workers get, and
 * the methods that they serve.
 */
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { type ColorModel, planesByteLength, planesOver, type Planes } from '../media/pixels/planes.ts'
import { meshSource, type MeshFace } from './mesh-swap.ts'
import { modelSource, type ModelFace } from './model-swap.ts'
import type { SwapSource, FaceCrop } from './swap-method.ts'
import { type ProjectedOcclusion, coverOver, keepOcclusion } from '../occlusion/occlusion-map.ts'
import { kernels, Room } from '../kernels/kernels.ts'
import type { Canvas } from '../common/canvas.ts'
import { blend, mix } from './blend.ts'
import { faceMeans, lumaFields, sumOf } from './color-transfer.ts'
import { chromaFields } from './hue.ts'
import { boundsIn, copyBox, gridFor, type Grid } from '../raster/boxes.ts'
import { addGrain, grainOf } from './grain.ts'
import { sideLight } from './side-light.ts'
import { asSharp, soften, softnessOf } from './sharpness.ts'
import { hairlineFlag } from '../raster/mesh-weights.ts'
import { leftBrow, meshPoints, rightBrow } from '../face/topology.ts'
import { distanceTo } from '../common/polygon.ts'
import { smoothstep } from '../common/smoothstep.ts'
import { ablation } from '../common/ablation.ts'

export type DrawnFace = MeshFace | ModelFace

/** Opens what a swap draws, in the thread that draws it. @param color colour model of the video */
export const openSource = (face: DrawnFace, color: ColorModel, options: SwapOptions): SwapSource =>
  face.kind === 'mesh' ? meshSource(face, color, options) : modelSource(face, color, options)

/** Transfer list of a face. */
export const portsOf = (face: DrawnFace): MessagePort[] => (face.kind === 'model' ? [face.port] : [])

/** The first message to a worker. */
export interface RenderSetup {
  port: MessagePort
  /** What is drawn over each tracked face. */
  faces: DrawnFace[]
  /** Colour model of the video. */
  color: ColorModel
  options: SwapOptions
}

/** A frame to render, in I420. */
export interface FrameToRender {
  /** Transferred to the worker and back. */
  buffer: ArrayBuffer
  width: number
  height: number
  /** In the order in which they are drawn. */
  faces: FaceToRender[]
}

export interface FaceToRender {
  /** Index in `RenderSetup.faces`. */
  face: number
  /** x, y of the mesh's points in coded pixels. */
  landmarks: Float32Array
  /** 0…1 */
  opacity: number
  occlusions: ProjectedOcclusion[]
}

export type RenderMethods = {
  render: (frame: FrameToRender) => Promise<{ buffer: ArrayBuffer; stages: RenderStages[] }>
}

/** Wall-clock milliseconds per frame, by stage. */
export type RenderStages = Record<'model' | 'raster' | 'mask' | 'color' | 'blend', number>

/**
 * Blur of the colour statistics, in face widths. It is wide enough to hide the target's brows and eyes and to keep the
 * source's cheeks and nose, but narrow enough to keep light from one side.
 */
const lightSigma = 0.26
/** Relative difference from the skin's luma above which a pixel is partly hair, and fully hair. */
const hairFrom = 0.22
const hairTo = 0.48
/** How far a brow is covered, and how far one that is drawn reaches, beyond its landmarks, in face widths. */
const coverMargin = 0.05
const browMargin = 0.04
/** Grid cells per face width. */
const cellsAcross = 32

export class FaceRenderer {
  readonly #source: SwapSource
  readonly #keepsHair: boolean
  #pixels = new ArrayBuffer(0)

  constructor(source: SwapSource, { keep }: SwapOptions) {
    this.#source = source
    this.#keepsHair = keep.includes('hair')
  }

  /**
   * @param landmarks x, y of the 478 landmarks in coded pixels
   * @param opacity 0…1
   * @param occlusions occlusion maps of this frame; covered pixels are not changed
   */
  render(
    frame: Planes,
    landmarks: Float32Array,
    opacity: number,
    occlusions: readonly ProjectedOcclusion[] = [],
  ): RenderStages {
    const stages: RenderStages = { model: 0, raster: 0, mask: 0, color: 0, blend: 0 }
    const box = boundsIn(landmarks, meshPoints, frame)
    if (!box || !ablation.render) return stages
    const faceWidth = outlineWidth(landmarks)
    let mark = performance.now()
    const lap = (stage: keyof RenderStages): void => {
      const now = performance.now()
      stages[stage] += now - mark
      mark = now
    }

    const crop = { frame, box, under: this.#copy(frame, box), faceWidth }
    const small: Canvas = { left: box.left / 2, top: box.top / 2, width: box.width / 2, height: box.height / 2 }
    const drawn = this.#source.swapFace(crop, landmarks)
    const { mask } = drawn
    const outline = mask.slice()
    coverBrows(crop, mask, landmarks)
    lap('raster')
    const front = occlusions.length > 0 ? coverOver(occlusions, small, mask) : null
    if (front) keepOcclusion(front, mask)
    lap('mask')

    const cell = Math.max(1, Math.round(faceWidth / cellsAcross / 2))
    const grid = gridFor(small.width, small.height, cell)
    const means = faceMeans(grid, crop, drawn, (faceWidth * lightSigma) / 2 / cell)
    const side = sideLight(grid, box, means.skin, { drawn: drawn.points, frame: landmarks }, means.sigma)
    const brows = browShares(grid, crop, drawn.points)
    const luma = lumaFields(means.y, { contrast: means.contrast, side, brows })
    const [u, v] = [chromaFields(means.y, means.u), chromaFields(means.y, means.v)]
    lap('color')

    if (this.#keepsHair) keepHair(grid, crop, mask, means.y.target)
    blurInside(mask, outline, small, maskRadius(faceWidth))
    // The blur spreads the mask back over narrow occlusions such as the frame of glasses.
    if (front) keepOcclusion(front, mask)
    lap('mask')

    const { hasTargetLight = false } = this.#source
    const gain = hasTargetLight ? 1 : sumOf(luma.gain) / luma.gain.length
    const softness = hasTargetLight ? asSharp : softnessOf(crop, drawn.y, landmarks, () => grainOf(crop, drawn, gain))
    soften(drawn.y, mask, box, softness)
    for (const eye of this.#source.drawEyes?.(crop, landmarks, opacity, occlusions) ?? []) copyRowsOf(eye, crop)
    addGrain(crop, drawn, gain)
    if (hasTargetLight) mix(crop, drawn, opacity)
    else blend({ grid, luma, u, v, slopes: means.slopes }, crop, drawn, opacity)
    lap('blend')
    return stages
  }

  /** Valid until the next face is drawn. */
  #copy(frame: Planes, box: Canvas): Planes {
    const size = planesByteLength(box.width, box.height)
    if (this.#pixels.byteLength < size) this.#pixels = new ArrayBuffer(Math.ceil(size * 1.3))
    const planes = planesOver(this.#pixels, box.width, box.height)
    copyBox(frame, box, planes)
    return planes
  }

  /** The same for any source: some need asynchronous work for each frame. */
  async prepareAndRender(...args: Parameters<FaceRenderer['render']>): Promise<RenderStages> {
    const began = performance.now()
    await this.#source.prepareFrame?.(args[0], args[1])
    const model = performance.now() - began
    return { ...this.render(...args), model }
  }
}

/** Copies the frame's pixels again, in all rows of the crop that a rectangle of the frame is in. */
function copyRowsOf(drawn: Canvas, { frame, box, under }: FaceCrop): void {
  const top = Math.max(box.top, drawn.top)
  const height = Math.min(box.top + box.height, drawn.top + drawn.height) - top
  if (height <= 0) return
  const from = (top - box.top) * box.width
  const rows = { ...under, y: under.y.subarray(from), u: under.u.subarray(from / 4), v: under.v.subarray(from / 4) }
  copyBox(frame, { left: box.left, top, width: box.width, height }, rows)
}

/**
 * Visits squares of a grid over the crop at half size that are near a brow.
 * @param margin distance in pixels from a brow's landmarks within which squares are visited @param step their side
 * @param visit gets a square's left and top, and 1 at a brow to 0 at the margin
 */
function nearBrows(
  points: Float32Array,
  { left, top, width, height }: Canvas,
  { margin, step }: { margin: number; step: number },
  visit: (x: number, y: number, share: number) => void,
): void {
  for (const brow of [rightBrow, leftBrow]) {
    const polygon = brow.map((point): [number, number] => [
      ((points[point * 2] ?? 0) - left) / 2,
      ((points[point * 2 + 1] ?? 0) - top) / 2,
    ])
    const [xs, ys] = [polygon.map(([x]) => x), polygon.map(([, y]) => y)]
    const [right, bottom] = [
      Math.min(width / 2, Math.max(...xs) + margin),
      Math.min(height / 2, Math.max(...ys) + margin),
    ]
    const first = (of: readonly number[]): number => Math.floor(Math.max(0, Math.min(...of) - margin) / step) * step
    for (let y = first(ys); y < bottom; y += step)
      for (let x = first(xs); x < right; x += step) {
        const away = distanceTo(polygon, x + step / 2, y + step / 2)
        if (away < margin) visit(x, y, 1 - smoothstep(0, margin, away))
      }
  }
}

/**
 * Covers the video's brows wherever the face is drawn: they aren't hair over the forehead, and above those that are drawn, or at
 * the temples, where the mask fades, they would be a second pair.
 * @param landmarks x, y in the frame
 */
function coverBrows({ box, faceWidth }: FaceCrop, mask: Uint8Array, landmarks: Float32Array): void {
  // Distances change slowly: one for each block.
  const step = Math.ceil(faceWidth / 100)
  nearBrows(landmarks, box, { margin: (faceWidth / 2) * coverMargin, step }, (x, y, share) => {
    coverBlock(mask, box.width / 2, x, y, step, share)
  })
}

/** By grid cell, how much of it belongs to a brow that is drawn, 0…1. @param points as they were drawn */
function browShares({ columns, rows, cell }: Grid, { box, faceWidth }: FaceCrop, points: Float32Array): Float32Array {
  const shares = new Float32Array(columns * rows)
  nearBrows(points, box, { margin: (faceWidth / 2) * browMargin, step: cell }, (x, y, share) => {
    const at = (y / cell) * columns + x / cell
    shares[at] = Math.max(shares[at] ?? 0, share)
  })
  return shares
}

/** @param step side of the block @param share 0…1 */
function coverBlock(mask: Uint8Array, width: number, left: number, top: number, step: number, share: number): void {
  const right = Math.min(width, left + step)
  for (let y = top; y < top + step; y += 1)
    for (let x = left; x < right; x += 1) {
      const was = mask[y * width + x] ?? 0
      if (was === 0) continue
      // By the root, the mask still fades towards the outline.
      const whole = Math.max(was, Math.sqrt((was & 252) * 252) * share)
      mask[y * width + x] = (whole & 252) | (was & 3 & ~hairlineFlag)
    }
}

/**
 * Keeps hair over the forehead: removes the mask near the hairline from pixels far darker or lighter than the skin.
 * @param skin local mean luma of the target's skin, by grid cell
 */
function keepHair({ columns, cell }: Grid, { box, under }: FaceCrop, mask: Uint8Array, skin: Float32Array): void {
  const room = new Room()
  const [at, luma] = [room.copy(mask), room.copy(under.y)]
  const size = [box.width / 2, box.height / 2] as const
  kernels.keep_hair(at, luma, ...size, room.copy(skin), columns, cell, hairlineFlag, hairFrom, hairTo)
  mask.set(room.bytes(at, mask.length))
}

/** Radius of the mask's blur at half size. Mouth and lids of a small face follow the video less well below a soft mask. */
const maskRadius = (faceWidth: number): number => Math.max(0, Math.floor((faceWidth - 50) / 90))

/** Softens the mask without spreading it. @param outline not 0 where the face was drawn, covered or not */
function blurInside(mask: Uint8Array, outline: Uint8Array, { width, height }: Canvas, radius: number): void {
  if (radius < 1) return
  const room = new Room()
  const [at, whole] = [room.copy(mask), room.copy(outline)]
  kernels.blur_inside(at, whole, room.take(mask.length), room.take(mask.length), width, height, radius)
  mask.set(room.bytes(at, mask.length))
}

/** Face width in pixels. For a turned head it is estimated from the height. */
function outlineWidth(points: Float32Array): number {
  const across = Math.hypot(
    (points[454 * 2] ?? 0) - (points[234 * 2] ?? 0),
    (points[454 * 2 + 1] ?? 0) - (points[234 * 2 + 1] ?? 0),
  )
  const down = Math.hypot(
    (points[152 * 2] ?? 0) - (points[10 * 2] ?? 0),
    (points[152 * 2 + 1] ?? 0) - (points[10 * 2 + 1] ?? 0),
  )
  return Math.max(across, down * 0.75, 8)
}
