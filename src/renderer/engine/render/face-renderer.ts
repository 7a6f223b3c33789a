/** @file Puts the source's face on a frame, in place, inside the rectangle of the face. */
import { chromaOf, type Planes } from '../media/planes.ts'
import type { SourceFace } from '../source/source-face.ts'
import { blurBytes } from './blur.ts'
import { blendPlane, chromaFields, gridFor, localMeans, lumaFields } from './color-transfer.ts'
import { meshWithOpenings, pointWeights, skinFlags } from './mesh-weights.ts'
import { meshPoints } from '../face/topology.ts'
import { rasterise, type Canvas, type Mesh } from './raster.ts'

/** Wall milliseconds spent, by stage; grows with every frame. */
export interface RenderStages {
  raster: number
  mask: number
  color: number
  blend: number
}

/** The blur of the colour statistics, in widths of the face: wide enough that brows and eyes leave no shadow. */
const lightSigma = 0.11
/** Cells of the statistics over a face's width. */
const cellsAcross = 32

export class FaceRenderer {
  readonly stages: RenderStages = { raster: 0, mask: 0, color: 0, blend: 0 }
  readonly #source: SourceFace
  #luma = new Uint8Array(0)
  #weight = new Uint8Array(0)
  #scratch = new Uint8Array(0)
  #cover = new Uint8Array(0)

  constructor(source: SourceFace) {
    this.#source = source
  }

  /**
   * @param points x, y of the mesh's points in coded pixels
   * @param opacity 0…1
   */
  paint(frame: Planes, points: Float32Array, opacity: number): void {
    const box = evenBox(points, frame)
    if (!box) return
    const faceWidth = outlineWidth(points)
    const level = this.#source.levelFor(faceWidth)
    const mesh: Mesh = {
      triangles: meshWithOpenings,
      to: twice(points, 1),
      from: twice(this.#source.points, level.scale),
      weights: pointWeights,
      counted: skinFlags,
    }
    let mark = performance.now()
    const lap = (stage: keyof RenderStages): void => {
      const now = performance.now()
      this.stages[stage] += now - mark
      mark = now
    }

    const { width, height } = box
    this.#reserve(width * height)
    const size = width * height
    const luma = this.#luma.subarray(0, size)
    const weight = this.#weight.subarray(0, size).fill(0)
    const texture = { data: level.planes.y, width: level.planes.width, height: level.planes.height }
    rasterise(mesh, box, texture, luma, weight)
    const small: Canvas = { left: box.left / 2, top: box.top / 2, width: width / 2, height: height / 2 }
    const chromaSize = size / 4
    const u = new Uint8Array(chromaSize)
    const v = new Uint8Array(chromaSize)
    const chromaWidth = chromaOf(level.planes.width)
    const chromaHeight = chromaOf(level.planes.height)
    rasterise(
      { ...mesh, to: scaled(mesh.to, 0.5), from: scaled(mesh.from, 0.5) },
      small,
      { data: level.planes.u, width: chromaWidth, height: chromaHeight },
      u,
      null,
      { texture: { data: level.planes.v, width: chromaWidth, height: chromaHeight }, out: v },
    )
    lap('raster')

    const cell = Math.max(2, Math.round(faceWidth / cellsAcross / 2) * 2)
    const grid = gridFor(width, height, cell)
    const sigma = (faceWidth * lightSigma) / cell
    const origin = box.top * frame.width + box.left
    const lumaField = lumaFields(localMeans(grid, width, height, luma, frame.y, origin, frame.width, weight, sigma))
    const counted = halfFlags(weight, width, height)
    const chromaStride = chromaOf(frame.width)
    const chromaOrigin = (box.top / 2) * chromaStride + box.left / 2
    const half = { ...grid, cell: cell / 2 }
    const chroma = (source: Uint8Array, target: Uint8Array): { gain: Float32Array; offset: Float32Array } =>
      chromaFields(
        localMeans(half, small.width, small.height, source, target, chromaOrigin, chromaStride, counted, sigma),
      )
    const uField = chroma(u, frame.u)
    const vField = chroma(v, frame.v)
    lap('color')

    const cover = this.#cover.subarray(0, size)
    cover.set(weight)
    blurBytes(weight, width, height, Math.max(1, Math.round(faceWidth / 130)), this.#scratch)
    for (let pixel = 0; pixel < size; pixel += 1) if (cover[pixel] === 0) weight[pixel] = 0
    const halfWeight = halveMask(weight, width, height)
    lap('mask')

    blendPlane(
      grid,
      lumaField.gain,
      lumaField.offset,
      width,
      height,
      luma,
      frame.y,
      origin,
      frame.width,
      weight,
      opacity,
    )
    blendPlane(
      half,
      uField.gain,
      uField.offset,
      small.width,
      small.height,
      u,
      frame.u,
      chromaOrigin,
      chromaStride,
      halfWeight,
      opacity,
    )
    blendPlane(
      half,
      vField.gain,
      vField.offset,
      small.width,
      small.height,
      v,
      frame.v,
      chromaOrigin,
      chromaStride,
      halfWeight,
      opacity,
    )
    lap('blend')
  }

  #reserve(size: number): void {
    if (this.#luma.length >= size) return
    const room = Math.ceil(size * 1.3)
    this.#luma = new Uint8Array(room)
    this.#weight = new Uint8Array(room)
    this.#scratch = new Uint8Array(room)
    this.#cover = new Uint8Array(room)
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

/** Points once for the skin and once for the openings, see `openingPoint`. */
function twice(points: Float32Array, scale: number): Float32Array {
  const both = new Float32Array(meshPoints * 4)
  for (let at = 0; at < meshPoints * 2; at += 1) {
    const value = (points[at] ?? 0) * scale
    both[at] = value
    both[at + meshPoints * 2] = value
  }
  return both
}

const scaled = (points: Float32Array, scale: number): Float32Array => points.map((value) => value * scale)

/** Half-size flags: 1 where all four pixels count. */
function halfFlags(weight: Uint8Array, width: number, height: number): Uint8Array {
  const flags = new Uint8Array((width * height) / 4)
  for (let row = 0, at = 0; row < height; row += 2) {
    for (let column = 0; column < width; column += 2, at += 1) {
      const pixel = row * width + column
      flags[at] =
        (weight[pixel] ?? 0) &
        (weight[pixel + 1] ?? 0) &
        (weight[pixel + width] ?? 0) &
        (weight[pixel + width + 1] ?? 0) &
        1
    }
  }
  return flags
}

function halveMask(mask: Uint8Array, width: number, height: number): Uint8Array {
  const half = new Uint8Array((width * height) / 4)
  for (let row = 0, at = 0; row < height; row += 2) {
    for (let column = 0; column < width; column += 2, at += 1) {
      const pixel = row * width + column
      half[at] =
        ((mask[pixel] ?? 0) +
          (mask[pixel + 1] ?? 0) +
          (mask[pixel + width] ?? 0) +
          (mask[pixel + width + 1] ?? 0) +
          2) >>
        2
    }
  }
  return half
}
