/** @file How strong brows are drawn. Brows far darker than the video's look painted: black ones below grey hair. */
import type { Affine } from '../common/affine.ts'
import type { Canvas } from '../common/canvas.ts'
import { lumaOf } from '../common/luma.ts'
import { medianOf } from '../common/median.ts'
import type { ColorModel, Planes } from '../media/pixels/planes.ts'
import type { SourceCut } from './source-face.ts'
import { codedPoints, type Points } from '../face/landmarks.ts'
import { leftBrow, rightBrow } from '../face/topology.ts'

/** Landmarks below and above each other: the loops go along the lower edge of a brow, and back along the upper one. */
const across = [rightBrow, leftBrow].flatMap((loop) =>
  loop.slice(0, loop.length / 2).map((point, at) => [point, loop.at(-1 - at) ?? point] as const),
)
/** Where a brow is looked for between both; the darkest place counts, because landmarks don't follow brows exactly. */
const places = [0.2, 0.5, 0.8]
/** Cheeks and the bridge of the nose, which hair seldom covers. */
const skin = [50, 280, 101, 330, 6, 197]
/** Of a place that is looked at, in face widths. */
const radius = 0.008
/** Least strength, and least depth of a brow that is compared. */
const weakest = 0.4
const shallow = 0.05

/** A picture of a face. */
interface LitFace {
  size: Pick<Canvas, 'width' | 'height'>
  /** x, y of the landmarks in pixels. */
  points: Float32Array
  /** Luma above black, of any scale. */
  lumaAt: (pixel: number) => number
}

/**
 * How strong a source's brows are drawn, 0…1: as they are if the video's are as dark, else between both (the geometric mean).
 * @param video depths of the brows of the person in the video; if none is known, 1 is returned
 */
export function browStrength({ rgba, width, height, points }: SourceCut, video: readonly (number | null)[]): number {
  const known = video.filter((depth) => depth !== null)
  const own = browDepth({
    size: { width, height },
    points: points.filter((_, at) => at % 3 < 2),
    lumaAt: (pixel) => lumaOf(rgba[pixel * 4] ?? 0, rgba[pixel * 4 + 1] ?? 0, rgba[pixel * 4 + 2] ?? 0),
  })
  if (own === null || known.length === 0) return 1
  const share = Math.max(0, medianOf(known)) / Math.max(shallow, own)
  return Math.min(1, Math.max(weakest, Math.sqrt(share)))
}

/** As of `browDepth`, on a frame. @param points x, y, z of the landmarks, upright @param view maps upright to coded pixels */
export const browDepthOn = (planes: Planes, { full }: ColorModel, points: Points, view: Affine): number | null =>
  browDepth({
    size: planes,
    points: codedPoints(points, view),
    lumaAt: (pixel) => (planes.y[pixel] ?? 0) - (full ? 0 : 16),
  })

/** How much darker the brows are than the skin, as a share of its luma: 1 is black. Null if the picture ends within the face. */
function browDepth(face: LitFace): number | null {
  const { points, size } = face
  const at = (point: number): [number, number] => [points[point * 2] ?? 0, points[point * 2 + 1] ?? 0]
  const isOutside = (point: number): boolean => {
    const [x, y] = at(point)
    return x < 0 || y < 0 || x >= size.width || y >= size.height
  }
  if ([...skin, ...across.flat()].some(isOutside)) return null
  const [[left, top], [right, bottom]] = [at(234), at(454)]
  const reach = Math.max(1, Math.round(radius * Math.hypot(right - left, bottom - top)))
  const around = medianOf(skin.map((point) => meanAround(face, at(point), reach)))
  const darkest = across.map(([below, above]) => {
    const [[x, y], [toX, toY]] = [at(below), at(above)]
    return Math.min(...places.map((share) => meanAround(face, [x + (toX - x) * share, y + (toY - y) * share], reach)))
  })
  return 1 - darkest.reduce((sum, luma) => sum + luma, 0) / darkest.length / Math.max(1, around)
}

/** Mean luma of a square; the picture's edge goes on beyond it. */
function meanAround({ size: { width, height }, lumaAt }: LitFace, [x, y]: [number, number], reach: number): number {
  const within = (value: number, length: number): number => Math.min(length - 1, Math.max(0, Math.round(value)))
  let sum = 0
  for (let row = -reach; row <= reach; row += 1)
    for (let column = -reach; column <= reach; column += 1)
      sum += lumaAt(within(y + row, height) * width + within(x + column, width))
  return sum / (2 * reach + 1) ** 2
}
