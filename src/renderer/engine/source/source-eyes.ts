/** @file Pictures of the source's eyes, from which the colour of its irises is measured. */
import { irisOf, type Point } from '../face/eye-tones.ts'
import { opennessOf } from '../face/landmarks.ts'
import { eyes, type Eye } from '../face/topology.ts'
import type { SourceCut, SourceEye } from './source-face.ts'

/** Openness below which an eye counts as shut: its height is about an eighth of its width. */
const minOpenness = 0.6
/** Side of an eye's picture, in widths of the eye. */
const sideInWidths = 1.3

/**
 * The pictures of the eyes that are open and seen.
 * @param cut where the eyes are as in the picture, before the head is turned
 * @param isHidden whether the turn of the head hides an eye
 */
export const eyesOf = (cut: SourceCut, isHidden: (eye: Eye) => boolean): SourceEye[] =>
  eyes
    .filter((eye) => !isHidden(eye) && opennessOf(eye.lids, cut.points, 3) >= minOpenness)
    .map(({ lids, iris }) => {
      const place = (point: number): Point => [cut.points[point * 3] ?? 0, cut.points[point * 3 + 1] ?? 0]
      const [a, b] = [place(lids[0]), place(lids[8])]
      // Even, for planes of half the size.
      const side = Math.ceil((Math.hypot(b[0] - a[0], b[1] - a[1]) * sideInWidths) / 2) * 2
      const [left, top] = [Math.round((a[0] + b[0] - side) / 2), Math.round((a[1] + b[1] - side) / 2)]
      const within = (point: number): Point => [place(point)[0] - left, place(point)[1] - top]
      return { rgba: squareOf(cut, left, top, side), side, lids: lids.map(within), iris: irisOf(iris.map(within)) }
    })

/** RGBA of a square of the cut; beyond its border the border's pixels repeat. */
function squareOf(cut: SourceCut, left: number, top: number, side: number): Uint8ClampedArray {
  const square = new Uint8ClampedArray(side * side * 4)
  for (let spot = 0; spot < side * side; spot += 1) {
    const x = Math.min(cut.width - 1, Math.max(0, left + (spot % side)))
    const y = Math.min(cut.height - 1, Math.max(0, top + Math.floor(spot / side)))
    square.set(cut.rgba.subarray((y * cut.width + x) * 4, (y * cut.width + x) * 4 + 4), spot * 4)
  }
  return square
}
