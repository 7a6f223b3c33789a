/**
 * @file Joins several pictures of one person. The best one is the base. Proportions come from all of them, and what the
 * base doesn't show (beneath hair or glasses, or on the far side of a turned head) comes from the others.
 */
import { medianFace } from '../face/align.ts'
import type { Points } from '../face/landmarks.ts'
import { PoseFinder, turnBetween } from '../face/pose.ts'
import { drawnOver, fillFrom, laidOver } from './overlay.ts'
import type { SourceCut, SourceView } from './source-face.ts'

/** Degrees between two views. Nearer ones would only be averaged. */
const apart = 8
/**
 * A view that differs more was taken in other light or years apart, and the face would change as the head turns. Views of one
 * video have 0.04 to 0.09 in three videos, two portraits of one woman 0.12.
 */
const maxDifference = 0.1
/** Alpha from which a pixel is the face's own. */
const shown = 250

export interface JudgedPicture {
  /** Turned to the front; its alpha says which pixels are the face's own. */
  front: SourceCut
  /** The same without glasses; `front` itself if there are none. */
  bare: SourceCut
  /** Landmarks in the picture. */
  inPicture: Points
  /** Higher is better, see `judgePicture`. */
  score: number
}

/** What a swap draws of a person. */
export interface PreparedSource {
  cut: SourceCut
  /** The same without glasses; `cut` itself if there are none. */
  bare: SourceCut
}

/** @param pictures in the order in which the user added them; of equal scores the first is the base */
export function joinPictures(pictures: readonly [JudgedPicture, ...JudgedPicture[]]): PreparedSource {
  const [base, ...others] = pictures.toSorted((a, b) => b.score - a.score) as [JudgedPicture, ...JudgedPicture[]]
  if (others.length === 0) return { cut: base.front, bare: base.bare }
  const bares = others.map(({ bare }) => bare)
  const join = (kind: 'front' | 'bare'): SourceCut => {
    const joined = joinCuts(base[kind], bares)
    // Glasses must not come and go with the turn of the head.
    const alike = others.filter(({ front, bare }) => kind === 'bare' || front !== bare)
    return { ...joined, views: viewsOf(joined, base, alike, kind) }
  }
  const bare = join('bare')
  return { cut: base.front === base.bare ? bare : join('front'), bare }
}

/** The joined face as it is, and from other sides as others show it. */
function viewsOf(
  joined: SourceCut,
  base: JudgedPicture,
  others: readonly JudgedPicture[],
  kind: 'front' | 'bare',
): SourceView[] {
  const head = new PoseFinder(joined.shape)
  const views: SourceView[] = [{ rgba: joined.rgba, pose: head.of(base.inPicture, 3) }]
  for (const other of others) {
    const pose = head.of(other.inPicture, 3)
    if (views.some((view) => turnBetween(view.pose, pose) < apart)) continue
    const laid = laidOver(other[kind], joined)
    const rgba = drawnOver(joined, laid)
    if (differenceOf(base[kind], laid, rgba) <= maxDifference) views.push({ rgba, pose })
  }
  return views.length > 1 ? views : []
}

/** Mean of the relative difference of `drawn` to the base where both show the face. @param laid as of `laidOver` */
function differenceOf(base: SourceCut, laid: Uint8Array, drawn: Uint8ClampedArray): number {
  let [sum, count] = [0, 0]
  for (let at = 0; at < laid.length; at += 4) {
    if (Math.min(laid[at + 3] ?? 0, base.rgba[at + 3] ?? 0) < shown) continue
    const green = base.rgba[at + 1] ?? 0
    sum += Math.abs((drawn[at + 1] ?? 0) - green) / (green + 16)
    count += 1
  }
  return sum / Math.max(1, count)
}

function joinCuts(base: SourceCut, others: readonly SourceCut[]): SourceCut {
  const joined = { ...base, rgba: Uint8ClampedArray.from(base.rgba) }
  for (const other of others) {
    const filled = fillFrom(joined, laidOver(other, joined))
    for (const [pixel, share] of filled.entries()) {
      const at = pixel * 4 + 3
      if (share > 0) joined.rgba[at] = (joined.rgba[at] ?? 0) + share * 255
    }
  }
  const shape = medianFace(
    [base, ...others].map(({ points }) => points),
    joined.points,
  )
  const eyes = [base, ...others].find((cut) => cut.eyes.length > 0)?.eyes ?? []
  // The irises aren't part of the mesh.
  const withIrises = Float32Array.from(joined.points)
  if (shape) withIrises.set(shape)
  return { ...joined, eyes, shape: withIrises }
}
