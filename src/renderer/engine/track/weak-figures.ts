/** @file Measures on one frame what makes the swap of a face weak. Depends on the frames around it only. */
import { pointX, pointY, type Points } from '../face/landmarks.ts'
import { segmentSide } from '../face/region.ts'
import { meshPoints, ringOf } from '../face/topology.ts'
import type { ProjectedOcclusion } from '../occlusion/occlusion-map.ts'

/** What makes the swap of a face weak on a frame. */
export interface WeakFigures {
  /** Degrees; null: no face was found. */
  yaw: number | null
  /** The swap fades in or out, because no face was found on a frame nearby. */
  isFading: boolean
  /** A scan has seen the person before and after. */
  isThere: boolean
  /** Share of the face that something is in front of, 0…1. */
  covered: number
  /** Distance of the landmarks from their smoothed place, in sizes of the face's region. */
  strays: number
  /** Distance of the next person from this one, in sizes of the face's region. */
  apart: number
}

/** Landmarks that hardly move relative to the skull. */
const rigid = [33, 133, 263, 362, 168, 6, 197, 5, 127, 356, 10, 152]

/** Mean distance of the rigid landmarks from their smoothed place, in pixels. */
export function straysOf(raw: Points, smooth: Points): number {
  const away = (point: number): number =>
    Math.hypot(pointX(raw, point) - pointX(smooth, point), pointY(raw, point) - pointY(smooth, point))
  return rigid.reduce((sum, point) => sum + away(point), 0) / rigid.length
}

/** From this ring inwards, hair over the forehead and the soft edge of the mask don't count. */
const centralRing = 3
const central = Array.from({ length: meshPoints }, (_, point) => point).filter(
  (point) => (ringOf[point] ?? 0) >= centralRing,
)

/**
 * Mean occlusion of the central landmarks, 0…1.
 * @param points x, y of the mesh's points in coded pixels
 */
export function coveredShare(points: Float32Array, occlusions: readonly ProjectedOcclusion[]): number {
  let sum = 0
  for (const { share, toMap, weight } of occlusions) {
    const { a, b, c, d, e, f } = toMap
    for (const point of central) {
      const [x, y] = [points[point * 2] ?? 0, points[point * 2 + 1] ?? 0]
      const [column, row] = [Math.floor(a * x + b * y + c), Math.floor(d * x + e * y + f)]
      if (column < 0 || row < 0 || column >= segmentSide || row >= segmentSide) continue
      sum += ((share[row * segmentSide + column] ?? 0) / 255) * weight
    }
  }
  return sum / central.length
}
