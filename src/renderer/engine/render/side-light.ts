/**
 * @file Light from one side. What one half of a face has and the other hasn't is mostly light; what both have is mostly the
 * person. So the difference of the halves becomes the video's, at a finer scale than all other light (`color-transfer.ts`). Not on
 * the forehead, where hair and brows would count.
 */
import { mirrorOf } from '../face/mirror.ts'
import { isUpper, meshPoints } from '../face/topology.ts'
import { blurField } from '../raster/blur.ts'
import type { Canvas } from '../common/canvas.ts'
import type { Grid } from '../raster/boxes.ts'

/** Standard deviation, in cells, of the light at a point, and of the surroundings that it says something about; the least of `blurField`. */
const sigma = Math.SQRT2
/** Bound of the change, in log luma. */
const most = 0.25
/** Least luma above black. */
const floor = 8
/** Weight of no change where few points are near. */
const none = 0.05

/** By grid cell: the number of the skin's pixels, and the sums of their luma, drawn and in the frame. */
export interface SkinSums {
  count: Float32Array
  drawn: Float32Array
  frame: Float32Array
}

/** x, y of the landmarks in the frame: as they were drawn, and as they are. */
export interface LandmarkPlaces {
  drawn: Float32Array
  frame: Float32Array
}

/**
 * The logarithm of what the drawn luma is to be multiplied by, by grid cell.
 * @param box the crop; the grid is over its half size
 * @param wide standard deviation, in cells, of the light that becomes the video's anyway
 */
export function sideLight(
  { columns, rows, cell }: Grid,
  { left, top }: Canvas,
  skin: SkinSums,
  points: LandmarkPlaces,
  wide: number,
): Float32Array {
  const cells = columns * rows
  const near = new Float32Array(3 * cells)
  for (const [field, values] of [skin.count, skin.drawn, skin.frame].entries()) near.set(values, field * cells)
  blurField(near, columns, rows, sigma)
  /** The cell of a point; -1: outside. */
  const cellOf = (places: Float32Array, point: number): number => {
    const column = Math.floor(((places[point * 2] ?? 0) - left) / 2 / cell)
    const row = Math.floor(((places[point * 2 + 1] ?? 0) - top) / 2 / cell)
    return column < 0 || column >= columns || row < 0 || row >= rows ? -1 : row * columns + column
  }
  /** By point: the log ratio of the frame's light to the drawn one's, and how much of the surroundings is skin, 0…1. */
  const ratios = new Float32Array(meshPoints)
  const seen = new Float32Array(meshPoints)
  for (let point = 0; point < meshPoints; point += 1) {
    const [from, to] = [cellOf(points.drawn, point), cellOf(points.frame, point)]
    const [pixels, others] = [near[from] ?? 0, near[to] ?? 0]
    if (Math.min(pixels, others) < 1) continue
    const [own, wanted] = [near[cells + from] ?? 0, near[2 * cells + to] ?? 0]
    ratios[point] = Math.log(Math.max(floor, wanted / others - 16) / Math.max(floor, own / pixels - 16))
    seen[point] = Math.min(pixels, others) / (cell * cell)
  }
  const fine = new Float32Array(2 * cells)
  for (let point = 0; point < meshPoints; point += 1) {
    if (isUpper[point] === 1) continue
    const image = mirrorOf[point] ?? point
    const weight = Math.min(seen[point] ?? 0, seen[image] ?? 0)
    const at = cellOf(points.drawn, point)
    if (weight === 0 || at < 0) continue
    fine[at] = (fine[at] ?? 0) + weight
    fine[cells + at] = (fine[cells + at] ?? 0) + (weight * ((ratios[point] ?? 0) - (ratios[image] ?? 0))) / 2
  }
  const coarse = fine.slice()
  blurField(fine, columns, rows, sigma)
  blurField(coarse, columns, rows, Math.hypot(wide, sigma))
  const change = new Float32Array(cells)
  for (let at = 0; at < cells; at += 1) {
    const off =
      (fine[cells + at] ?? 0) / ((fine[at] ?? 0) + none) - (coarse[cells + at] ?? 0) / ((coarse[at] ?? 0) + none)
    change[at] = Math.max(-most, Math.min(most, off))
  }
  return change
}
