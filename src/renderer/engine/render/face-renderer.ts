/**
 * @file Renders the source's face onto a frame, in place, within the face's bounding box. What render workers get, and
 * the methods that they serve.
 */
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { type ColorModel, planesByteLength, planesOver, type Planes } from '../media/pixels/planes.ts'
import { meshSource, type MeshFace } from './mesh-swap.ts'
import { modelSource, type ModelFace } from './model-swap.ts'
import type { FaceCrop, SwappedFace, SwapSource } from './swap-method.ts'
import { type ProjectedOcclusion, coverOver, keepOcclusion } from '../occlusion/occlusion-map.ts'
import { kernels, Room } from '../kernels/kernels.ts'
import type { Canvas } from '../common/canvas.ts'
import { blend, mix, type Correction } from './blend.ts'
import { brows, cheeks, coverBrows, darkFeatures, sharesNear } from './face-areas.ts'
import { faceMeans, sumOf, type FaceMeans } from './color-transfer.ts'
import { chromaFields } from './hue.ts'
import { boundsIn, copyBox, gridFor, type Grid } from '../raster/boxes.ts'
import { addGrain, grainOf } from './grain.ts'
import { lumaFields, type LumaChanges } from './luma-fields.ts'
import { sideLight } from './side-light.ts'
import { soften, softnessOf } from './sharpness.ts'
import { meshPoints } from '../face/topology.ts'
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
    const front = occlusions.length > 0 ? coverOver(occlusions, small, mask, crop.under.y) : null
    if (front) keepOcclusion(front, mask)
    lap('mask')

    const cell = Math.max(1, Math.round(faceWidth / cellsAcross / 2))
    const grid = gridFor(small.width, small.height, cell)
    const drawnBrows = this.#source.hasTargetLight ? null : sharesNear(brows, grid, crop, drawn.points)
    const means = faceMeans(grid, crop, drawn, (faceWidth * lightSigma) / 2 / cell, drawnBrows)
    const correction = drawnBrows
      ? correctionOf(grid, crop, drawn, landmarks, means, {
          brows: drawnBrows,
          browStrength: this.#source.browStrength ?? 1,
        })
      : null
    lap('color')

    if (this.#keepsHair) keepHair(grid, crop, mask, means, landmarks)
    blurInside(mask, outline, small, maskRadius(faceWidth))
    // The blur spreads the mask back over narrow occlusions such as the frame of glasses.
    if (front) keepOcclusion(front, mask)
    lap('mask')

    const gain = correction ? sumOf(correction.luma.gain) / correction.luma.gain.length : 1
    if (correction) {
      const softness = softnessOf(crop, drawn.y, landmarks, () => grainOf(crop, drawn, gain))
      soften(drawn.y, mask, box, softness)
    }
    for (const eye of this.#source.drawEyes?.(crop, landmarks, opacity, occlusions) ?? []) copyRowsOf(eye, crop)
    addGrain(crop, drawn, gain)
    if (correction) blend(correction, crop, drawn, opacity)
    else mix(crop, drawn, opacity)
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

/** What gives the drawn face the video's light and hue. @param landmarks x, y in the frame */
function correctionOf(
  grid: Grid,
  crop: FaceCrop,
  drawn: SwappedFace,
  landmarks: Float32Array,
  { y, u, v, contrast, shadows, shines, sharedShadows, slopes, skin, sigma }: FaceMeans,
  ofBrows: Pick<LumaChanges, 'brows' | 'browStrength'>,
): Correction {
  const side = sideLight(grid, crop.box, skin, { drawn: drawn.points, frame: landmarks }, sigma)
  const features = sharesNear(darkFeatures, grid, crop, drawn.points)
  const near = { ...ofBrows, features, cheeks: sharesNear(cheeks, grid, crop, drawn.points) }
  const luma = lumaFields(y, { contrast, shadows, shines, sharedShadows, side, ...near })
  return { grid, luma, u: chromaFields(y, u), v: chromaFields(y, v), slopes }
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
 * Keeps hair over the forehead: removes the mask near the hairline from pixels far darker or lighter than the skin. Not at the
 * video's brows, which are covered.
 */
function keepHair(
  grid: Grid,
  crop: FaceCrop,
  mask: Uint8Array,
  { y, forehead }: FaceMeans,
  landmarks: Float32Array,
): void {
  const { box, under } = crop
  const { columns, rows, cell } = grid
  const covered = sharesNear(brows, grid, crop, landmarks)
  // Whole up to where the forehead ends, and fading beyond; nothing up to the middle of a brow's margin.
  const near = forehead.map((share, at) => Math.min(1, 2 * share) * Math.max(0, 1 - 2 * (covered[at] ?? 0)))
  const room = new Room()
  const [at, luma] = [room.copy(mask), room.copy(under.y)]
  const fields = [room.copy(y.target), room.copy(near)] as const
  kernels.keep_hair(at, luma, box.width / 2, box.height / 2, ...fields, columns, rows, cell, hairFrom, hairTo)
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
