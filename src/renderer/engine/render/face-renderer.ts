/** @file Puts the source's face on a frame, in place, inside the rectangle of the face. */
import { chromaOf, type Planes } from '../media/planes.ts'
import { blurBytes } from './blur.ts'
import { blendChroma, blendLuma } from './blend.ts'
import { chromaFields, countCells, localMeans, lumaFields, type Means } from './color-transfer.ts'
import { gridFor, type Grid } from './grid.ts'
import { hairlineFlag } from './mesh-weights.ts'
import { meshPoints } from '../face/topology.ts'
import { keepFront, type PlacedFront } from '../occlusion/front-map.ts'
import { smoothstep } from '../track/track.ts'
import { tuning } from '../tuning.ts'
import type { Canvas } from './raster.ts'
import type { SwapSource } from './way-to-swap.ts'

/** Wall milliseconds spent, by stage; grows with every frame. */
export interface RenderStages {
  raster: number
  mask: number
  color: number
  blend: number
}

/** The blur of the colour statistics, in widths of the face: wide enough that brows and eyes leave no shadow. */
const lightSigma = 0.08
/** Difference from the skin's luma, as a share of it, from which something is hair in part, and altogether. */
const hairFrom = 0.22
const hairTo = 0.48
/** Cells of the statistics over a face's width. */
const cellsAcross = 32

export class FaceRenderer {
  readonly stages: RenderStages = { raster: 0, mask: 0, color: 0, blend: 0 }
  readonly #source: SwapSource
  #buffers: Uint8Array[] = []

  constructor(source: SwapSource) {
    this.#source = source
  }

  /**
   * @param landmarks x, y of the mesh's points in coded pixels
   * @param opacity 0…1
   * @param fronts what is in front of the face, and stays there
   */
  paint(frame: Planes, landmarks: Float32Array, opacity: number, fronts: readonly PlacedFront[] = []): void {
    const box = evenBox(landmarks, frame)
    if (!box || !tuning.paint) return
    const faceWidth = outlineWidth(landmarks)
    let mark = performance.now()
    const lap = (stage: keyof RenderStages): void => {
      const now = performance.now()
      this.stages[stage] += now - mark
      mark = now
    }

    const { width, height } = box
    const small: Canvas = { left: box.left / 2, top: box.top / 2, width: width / 2, height: height / 2 }
    const smallSize = small.width * small.height
    const [cover, scratch, sourceLuma, targetLuma] = this.#reserve(smallSize)
    if (!cover || !scratch || !sourceLuma || !targetLuma) return
    const { y: luma, u, v, mask: weight } = this.#source.swapFace({ frame, box, faceWidth }, landmarks)
    lap('raster')
    if (fronts.length > 0) keepFront(fronts, small, weight)
    lap('mask')

    const origin = box.top * frame.width + box.left
    const chromaStride = chromaOf(frame.width)
    const chromaOrigin = small.top * chromaStride + small.left
    halveBytes(luma, 0, width, width, height, sourceLuma)
    halveBytes(frame.y, origin, frame.width, width, height, targetLuma)
    const cell = Math.max(1, Math.round(faceWidth / cellsAcross / 2))
    const grid = gridFor(small.width, small.height, cell)
    const sigma = (faceWidth * lightSigma) / 2 / cell
    const counts = countCells(grid, small.width, small.height, weight, sigma)
    const means = (source: Uint8Array, target: Uint8Array, from: number, stride: number): Means =>
      localMeans(grid, small.width, small.height, source, target, from, stride, weight, counts, sigma)
    const lumaMeans = means(sourceLuma, targetLuma, 0, small.width)
    const lumaField = lumaFields(lumaMeans)
    const uFields = chromaFields(lumaMeans, means(u, frame.u, chromaOrigin, chromaStride))
    const vFields = chromaFields(lumaMeans, means(v, frame.v, chromaOrigin, chromaStride))
    lap('color')

    keepHair(grid, small.width, small.height, weight, targetLuma, lumaMeans.target)
    cover.set(weight)
    blurBytes(weight, small.width, small.height, Math.round(faceWidth / 260), scratch)
    for (let pixel = 0; pixel < smallSize; pixel += 1) if (cover[pixel] === 0) weight[pixel] = 0
    lap('mask')

    blendLuma(grid, lumaField, width, height, luma, frame.y, origin, frame.width, weight, opacity)
    halveBytes(frame.y, origin, frame.width, width, height, targetLuma)
    for (const [fields, source, target] of [
      [uFields, u, frame.u],
      [vFields, v, frame.v],
    ] as const) {
      blendChroma(
        grid,
        fields,
        small.width,
        small.height,
        source,
        sourceLuma,
        targetLuma,
        target,
        chromaOrigin,
        chromaStride,
        weight,
        opacity,
      )
    }
    lap('blend')
  }

  #reserve(size: number): Uint8Array[] {
    if ((this.#buffers[0]?.length ?? 0) < size) {
      const room = Math.ceil(size * 1.3)
      this.#buffers = Array.from({ length: 4 }, () => new Uint8Array(room))
    }
    return this.#buffers.map((one) => one.subarray(0, size))
  }
}

/**
 * Takes the mask off pixels under the hairline that are far darker or lighter than the skin around: hair stays in front.
 * @param skin local mean luma of the target's skin, over the grid
 */
function keepHair(
  grid: Grid,
  width: number,
  height: number,
  mask: Uint8Array,
  luma: Uint8Array,
  skin: Float32Array,
): void {
  for (let row = 0; row < height; row += 1) {
    const cells = ((row / grid.cell) | 0) * grid.columns
    for (let column = 0; column < width; column += 1) {
      const pixel = row * width + column
      const weight = mask[pixel] ?? 0
      if ((weight & hairlineFlag) === 0) continue
      const expected = Math.max(24, skin[cells + ((column / grid.cell) | 0)] ?? 0)
      const off = Math.abs((luma[pixel] ?? 0) - expected) / expected
      if (off > hairFrom) mask[pixel] = Math.max(4, weight * (1 - smoothstep(hairFrom, hairTo, off)))
    }
  }
}

/** The points' bounds with a margin, on even pixels, inside the frame; null when nothing is left of it. */
export function evenBox(points: Float32Array, frame: { width: number; height: number }): Canvas | null {
  let left = Infinity
  let top = Infinity
  let right = -Infinity
  let bottom = -Infinity
  for (let at = 0; at < meshPoints * 2; at += 2) {
    const x = points[at] ?? 0
    const y = points[at + 1] ?? 0
    if (x < left) left = x
    if (x > right) right = x
    if (y < top) top = y
    if (y > bottom) bottom = y
  }
  const even = { left: Math.max(0, Math.floor(left) - 2) & ~1, top: Math.max(0, Math.floor(top) - 2) & ~1 }
  const width = (Math.min(frame.width, Math.ceil(right) + 2) - even.left) & ~1
  const height = (Math.min(frame.height, Math.ceil(bottom) + 2) - even.top) & ~1
  return width < 4 || height < 4 || !Number.isFinite(left) ? null : { ...even, width, height }
}

/** Distance between the two sides of the outline, or what height makes of it when the head is turned. */
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

/** Means of 2 × 2 bytes of a rectangle. */
function halveBytes(
  from: Uint8Array,
  origin: number,
  stride: number,
  width: number,
  height: number,
  half: Uint8Array,
): void {
  for (let row = 0, at = 0; row < height; row += 2) {
    let pixel = origin + row * stride
    for (let column = 0; column < width; column += 2, at += 1, pixel += 2) {
      half[at] =
        ((from[pixel] ?? 0) +
          (from[pixel + 1] ?? 0) +
          (from[pixel + stride] ?? 0) +
          (from[pixel + stride + 1] ?? 0) +
          2) >>
        2
    }
  }
}
