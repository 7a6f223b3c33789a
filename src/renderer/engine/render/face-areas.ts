/** @file Areas of a face: the video's brows are covered, drawn features stay dark, and shadows of cheeks may go. */
import type { Canvas } from '../common/canvas.ts'
import { distanceTo } from '../common/polygon.ts'
import { smoothstep } from '../common/smoothstep.ts'
import { mirrorOf } from '../face/mirror.ts'
import { leftBrow, leftEye, outerLips, rightBrow, rightEye } from '../face/topology.ts'
import type { Grid } from '../raster/boxes.ts'
import { hairlineFlag } from '../raster/mesh-weights.ts'
import type { FaceCrop } from './swap-method.ts'

/** Loops of landmarks. */
type Loops = readonly (readonly number[])[]
export const brows: Loops = [rightBrow, leftBrow]
const underNose = [64, 98, 97, 2, 326, 327, 294, 1]
/** What is dark on every face, apart from brows. */
export const darkFeatures: Loops = [rightEye, leftEye, outerLips, underNose]

const rightCheek = [245, 196, 198, 48, 98, 92, 57, 214, 213, 147, 117, 100, 47]
/** With the sides of the nose, and down to the corners of the mouth. */
export const cheeks: Loops = [rightCheek, rightCheek.map((point) => mirrorOf[point] ?? point)]

/** How far a brow is covered, and how far a feature that is drawn reaches, beyond its landmarks, in face widths. */
const coverMargin = 0.05
const drawnMargin = 0.04

/**
 * Visits squares of a grid over the crop at half size that are near features.
 * @param margin distance in pixels from a feature within which squares are visited @param step their side
 * @param visit gets a square's left and top, and 1 at a feature to 0 at the margin
 */
function visitNear(
  loops: Loops,
  points: Float32Array,
  { left, top, width, height }: Canvas,
  { margin, step }: { margin: number; step: number },
  visit: (x: number, y: number, share: number) => void,
): void {
  for (const loop of loops) {
    const polygon = loop.map((point): [number, number] => [
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
export function coverBrows({ box, faceWidth }: FaceCrop, mask: Uint8Array, landmarks: Float32Array): void {
  // Distances change slowly: one for each block.
  const step = Math.ceil(faceWidth / 100)
  visitNear(brows, landmarks, box, { margin: (faceWidth / 2) * coverMargin, step }, (x, y, share) => {
    coverBlock(mask, box.width / 2, x, y, step, share)
  })
}

/** By grid cell, how much of it belongs to features, 0…1. @param points as they were drawn, or are in the video */
export function sharesNear(
  loops: Loops,
  { columns, rows, cell }: Grid,
  { box, faceWidth }: FaceCrop,
  points: Float32Array,
): Float32Array {
  const shares = new Float32Array(columns * rows)
  visitNear(loops, points, box, { margin: (faceWidth / 2) * drawnMargin, step: cell }, (x, y, share) => {
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
      const whole = Math.max(was, 252 * Math.sqrt(Math.sqrt((was & 252) / 252)) * share)
      mask[y * width + x] = (whole & 252) | (was & 3 & ~hairlineFlag)
    }
}
