/**
 * @file Joins several pictures of one person. The best one is the base. Proportions come from all of them, and what the
 * base doesn't show (beneath hair or glasses, or on the far side of a turned head) comes from the others.
 */
import { medianFace } from '../face/align.ts'
import { fillFrom, laidOver } from './overlay.ts'
import type { SourceCut } from './source-cut.ts'

export interface JudgedPicture {
  /** Turned to the front; its alpha says which pixels are the face's own. */
  front: SourceCut
  /** Higher is better, see `judgePicture`. */
  score: number
}

/** @param pictures in the order in which the user added them; of equal scores the first is the base */
export function joinPictures(pictures: readonly [JudgedPicture, ...JudgedPicture[]]): SourceCut {
  const [base, ...others] = pictures.toSorted((a, b) => b.score - a.score) as [JudgedPicture, ...JudgedPicture[]]
  const joined = { ...base.front, rgba: Uint8ClampedArray.from(base.front.rgba) }
  for (const { front } of others) {
    const filled = fillFrom(joined, laidOver(front, joined))
    for (const [pixel, share] of filled.entries()) {
      const at = pixel * 4 + 3
      if (share > 0) joined.rgba[at] = (joined.rgba[at] ?? 0) + share * 255
    }
  }
  const shapes = pictures.map(({ front }) => front.points)
  const shape = medianFace(shapes, joined.points)
  const seesBoth = ({ eyes }: SourceCut): boolean => eyes?.every(({ isMirrored }) => !isMirrored) ?? false
  const eyes = [base, ...others].find(({ front }) => seesBoth(front))?.front.eyes ?? joined.eyes
  // The irises aren't part of the mesh.
  const withIrises = Float32Array.from(joined.points)
  if (shape) withIrises.set(shape)
  return { ...joined, eyes, shape: withIrises }
}
