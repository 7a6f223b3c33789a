/** @file BlazeFace, short range: anchors, decoding, merging (MediaPipe `face_detection_short_range`). */
import type { Region } from './region.ts'

/** A face in upright pixels. `rightEye` is the person's right. */
export interface Detection {
  score: number
  left: number
  top: number
  width: number
  height: number
  rightEye: [number, number]
  leftEye: [number, number]
  nose: [number, number]
}

export const detectorSide = 128
const anchorCount = 896

/** Centres of the anchors in the unit square, x, y: 16 × 16 cells with 2 each, then 8 × 8 with 6. */
export const anchors: Float32Array = (() => {
  const centres = new Float32Array(anchorCount * 2)
  let at = 0
  for (const [cells, each] of [
    [16, 2],
    [8, 6],
  ] as const) {
    for (let row = 0; row < cells; row += 1) {
      for (let column = 0; column < cells; column += 1) {
        for (let copy = 0; copy < each; copy += 1) {
          centres[at++] = (column + 0.5) / cells
          centres[at++] = (row + 0.5) / cells
        }
      }
    }
  }
  return centres
})()

/**
 * Decodes the detector's output for one square.
 * @param boxes 896 × 16: centre x and y, width, height, six points; in pixels of the 128² input, relative to the anchor
 * @param scores 896 logits
 */
export function decodeDetections(
  boxes: Float32Array,
  scores: Float32Array,
  square: { x: number; y: number; size: number },
): Detection[] {
  const found: Detection[] = []
  const unit = square.size / detectorSide
  for (let index = 0; index < anchorCount; index += 1) {
    const logit = scores[index] ?? -100
    // A score below a half.
    if (logit < 0) continue
    const at = index * 16
    const originX = square.x + (anchors[index * 2] ?? 0) * square.size
    const originY = square.y + (anchors[index * 2 + 1] ?? 0) * square.size
    const x = (offset: number): number => originX + (boxes[at + offset] ?? 0) * unit
    const y = (offset: number): number => originY + (boxes[at + offset] ?? 0) * unit
    const width = (boxes[at + 2] ?? 0) * unit
    const height = (boxes[at + 3] ?? 0) * unit
    found.push({
      score: 1 / (1 + Math.exp(-logit)),
      left: x(0) - width / 2,
      top: y(1) - height / 2,
      width,
      height,
      rightEye: [x(4), y(5)],
      leftEye: [x(6), y(7)],
      nose: [x(8), y(9)],
    })
  }
  return found
}

export function overlap(a: Detection, b: Detection): number {
  const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left)
  const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top)
  if (width <= 0 || height <= 0) return 0
  const shared = width * height
  return shared / (a.width * a.height + b.width * b.height - shared)
}

/** Detections that overlap more are the same face. */
const minOverlap = 0.3

/** Merges overlapping detections, weighted by score; best first. */
export function mergeDetections(detections: readonly Detection[]): Detection[] {
  const left = [...detections].sort((a, b) => b.score - a.score)
  const merged: Detection[] = []
  for (let best = left.shift(); best; best = left.shift()) {
    const first = best
    const group = [first]
    for (let index = left.length - 1; index >= 0; index -= 1) {
      const other = left[index]
      if (!other || overlap(first, other) < minOverlap) continue
      group.push(other)
      left.splice(index, 1)
    }
    const total = group.reduce((sum, one) => sum + one.score, 0)
    const mean = (pick: (one: Detection) => number): number =>
      group.reduce((sum, one) => sum + pick(one) * one.score, 0) / total
    merged.push({
      score: first.score,
      left: mean((one) => one.left),
      top: mean((one) => one.top),
      width: mean((one) => one.width),
      height: mean((one) => one.height),
      rightEye: [mean((one) => one.rightEye[0]), mean((one) => one.rightEye[1])],
      leftEye: [mean((one) => one.leftEye[0]), mean((one) => one.leftEye[1])],
      nose: [mean((one) => one.nose[0]), mean((one) => one.nose[1])],
    })
  }
  return merged
}

/** The region that the landmark model expects for a detected face: 1.5 times as large, with level eyes. */
export function regionOfDetection(face: Detection): Region {
  return {
    x: face.left + face.width / 2,
    y: face.top + face.height / 2,
    size: Math.max(face.width, face.height) * 1.5,
    angle: Math.atan2(face.leftEye[1] - face.rightEye[1], face.leftEye[0] - face.rightEye[0]),
  }
}

/**
 * How far the head is turned to a side: the nose's distance from the middle of the eyes along the line between them, in
 * distances of the eyes. Measured: about 0.15 at 35°, 0.5 in a profile.
 */
export function turnOfDetection({ rightEye, leftEye, nose }: Detection): number {
  const [across, down] = [leftEye[0] - rightEye[0], leftEye[1] - rightEye[1]]
  const [x, y] = [nose[0] - (leftEye[0] + rightEye[0]) / 2, nose[1] - (leftEye[1] + rightEye[1]) / 2]
  return Math.abs(x * across + y * down) / Math.max(1e-6, across ** 2 + down ** 2)
}

/**
 * Squares to search, in upright pixels: the whole picture, then overlapping squares of its shorter side, then squares
 * of half that. The detector finds faces down to about a tenth of its square.
 * @param step max distance of two overlapping squares, as a share of their side
 */
export function searchSquares(
  width: number,
  height: number,
  levels: 1 | 2 | 3,
  step = 0.6,
): { x: number; y: number; size: number }[] {
  const long = Math.max(width, height)
  const short = Math.min(width, height)
  const squares = [{ x: (width - long) / 2, y: (height - long) / 2, size: long }]
  const tile = (size: number): void => {
    const columns = Math.max(1, Math.ceil((width - size) / (size * step)) + 1)
    const rows = Math.max(1, Math.ceil((height - size) / (size * step)) + 1)
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        squares.push({
          x: columns === 1 ? 0 : ((width - size) * column) / (columns - 1),
          y: rows === 1 ? 0 : ((height - size) * row) / (rows - 1),
          size,
        })
      }
    }
  }
  if (levels > 1 && long > short * 1.15) tile(short)
  if (levels > 2) tile(short / 2)
  return squares
}
