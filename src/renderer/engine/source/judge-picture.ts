/** @file Judges how well a picture shows a face, to choose the base among several pictures of one person. */
import { faceOval } from '../face/topology.ts'
import { pitchOf } from '../face/flaws.ts'
import { boundsOf, yawOf, type Points } from '../face/landmarks.ts'
import { smileOf } from '../face/smile.ts'
import { lumaAt } from '../common/luma.ts'
import { mouthOpenness } from '../track/shape-change.ts'
import { shrink } from './clean-source.ts'
import type { SourceCut } from './source-face.ts'

/** Face width in pixels of the picture from which more adds nothing. */
const enoughPixels = 300
/** Degrees at which a turned face is worth nothing. */
const uselessTurn = 60
/** Share of the score that a full smile and a mouth open by `openMouth` face heights cost. */
const smileCosts = 0.4
const mouthCosts = 0.3
const openMouth = 0.1
/** Side of the working size in pixels. */
const side = 256

/**
 * A score, 0…1, of several factors: size, turn and nod, smile, open mouth, even light on both sides, sharpness, and how much of
 * the face is visible.
 * @param points landmarks in the picture
 * @param front the same face turned to the front
 */
export function judgePicture(points: Points, front: SourceCut): number {
  const size = Math.min(1, boundsOf(points, faceOval).width / enoughPixels)
  const turn = Math.max(0, 1 - (Math.hypot(yawOf(points), pitchOf(points)) / uselessTurn) ** 2)
  const calm =
    (1 - smileCosts * smileOf(front.points, 3)) * (1 - mouthCosts * Math.min(1, mouthOpenness(points) / openMouth))
  const { even, sharp, seen } = looksOf(front)
  return size * turn * calm * even * sharp * seen
}

/** `even`: light of the darker side over the other's. `sharp`: contrast of small details. `seen`: visible share. */
function looksOf(front: SourceCut): { even: number; sharp: number; seen: number } {
  const rgb = shrink(front, side)
  const scale = side / front.width
  const box = boundsOf(front.points, faceOval)
  const [left, top, right, bottom] = [box.x, box.y, box.x + box.width, box.y + box.height].map((edge) =>
    Math.min(side - 2, Math.max(1, Math.round(edge * scale))),
  ) as [number, number, number, number]
  const sides = [1, 1]
  let [detail, count, alpha] = [0, 1, 0]
  for (let row = top; row < bottom; row += 1) {
    for (let column = left; column < right; column += 1) {
      const pixel = row * side + column
      const luma = lumaAt(rgb, pixel)
      const half = column * 2 < left + right ? 0 : 1
      sides[half] = (sides[half] ?? 0) + luma
      const around =
        (lumaAt(rgb, pixel - side) + lumaAt(rgb, pixel + side) + lumaAt(rgb, pixel - 1) + lumaAt(rgb, pixel + 1)) / 4
      detail += Math.abs(luma - around) / (luma + 16)
      alpha += (front.rgba[(Math.floor(row / scale) * front.width + Math.floor(column / scale)) * 4 + 3] ?? 0) / 255
      count += 1
    }
  }
  const [a = 1, b = 1] = sides
  return {
    even: Math.sqrt(Math.min(a, b) / Math.max(a, b)),
    sharp: Math.min(1, detail / count / sharpDetail),
    seen: alpha / count,
  }
}

/** Mean relative difference to the pixels around, at `side`, from which a face counts as sharp. */
const sharpDetail = 0.012
