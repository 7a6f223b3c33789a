/** @file Tells the people of a video apart by single faces, and chooses the views of one that serve as pictures of their face. */
import { cosineOf } from './cosine.ts'
import { samePersonCosine } from './face-embedder.ts'

/** A face on one frame of a video. Angles are in degrees. */
export interface View {
  /** Seconds in the file. */
  readonly time: number
  /** Of its embedding. */
  readonly vector: Float32Array
  /** In pixels. */
  readonly width: number
  readonly yaw: number
  readonly pitch: number
  /** See `mouthOpenness`. */
  readonly mouth: number
  /** See `eyeOpenness`; of the eye that is less open. */
  readonly eyes: number
  /** Contrast of small details; compared with the person's other views only. */
  readonly sharp: number
}

/** Somebody who is seen for less than this share of the time of the most prominent person is no choice. */
const minShare = 0.2
/** Face width in pixels from which more adds nothing. */
const enoughPixels = 300
/** Degrees at which a turned face is worth nothing. */
const uselessTurn = 60
/** An eye that is less open counts as shut. */
const openEye = 0.16
/** Degrees of yaw and pitch that make a view as new as a view can be. What the mouth does is the video's. */
const newView = { yaw: 20, pitch: 20 }
/** A view is worth adding if it is at least so new, and so good compared with the best. */
const minNew = 0.5
const minGood = 0.5

/**
 * The people of a video; who fills most of it comes first. Two faces on one frame are never the same person.
 * @param views in the order of their time
 */
export function peopleOfViews<V extends View>(views: readonly V[]): V[][] {
  const people: { sum: Float32Array; views: V[] }[] = []
  for (const view of views) {
    const likely = people
      .filter((person) => person.views.at(-1)?.time !== view.time)
      .map((person) => ({ person, cosine: cosineOf(person.sum, view.vector) }))
      .toSorted((one, other) => other.cosine - one.cosine)[0]
    if (likely && likely.cosine >= samePersonCosine) {
      likely.person.views.push(view)
      likely.person.sum = likely.person.sum.map((value, at) => value + (view.vector[at] ?? 0))
    } else people.push({ sum: view.vector, views: [view] })
  }
  const weight = (person: readonly View[]): number => person.reduce((sum, { width }) => sum + width, 0)
  const sorted = people.map((person) => person.views).toSorted((one, other) => weight(other) - weight(one))
  const [first = []] = sorted
  return sorted.filter((person) => person.length >= first.length * minShare)
}

/**
 * The best view of a person, in which they look most like themselves, then views from other sides. Each has to be good
 * by itself: large, sharp, with open eyes.
 * @param max how many at most
 */
export function chooseViews<V extends View>(person: readonly V[], max: number): V[] {
  const sharpest = Math.max(1e-6, ...person.map(({ sharp }) => sharp))
  const good = ({ width, yaw, pitch, eyes, sharp }: View): number =>
    Math.min(1, width / enoughPixels) *
    Math.max(0, 1 - (Math.hypot(yaw, pitch) / uselessTurn) ** 2) *
    (eyes < openEye ? 0.2 : 1) *
    (sharp / sharpest)
  const calm = ({ mouth }: View): number => 1 - 0.3 * Math.min(1, mouth / 0.1)
  const usual = sumOf(person.map(({ vector }) => vector))
  const best = highest(person, (view) => good(view) * calm(view) * Math.max(0, cosineOf(view.vector, usual)))
  if (!best) return []
  const chosen = [best.item]
  const least = good(best.item) * minGood
  while (chosen.length < max) {
    const next = highest(person, (view) => {
      const isNew = Math.min(1, ...chosen.map((other) => distance(view, other)))
      return isNew < minNew || good(view) < least ? 0 : isNew * good(view)
    })
    if (!next || next.value === 0) break
    chosen.push(next.item)
  }
  return chosen
}

const distance = (one: View, other: View): number =>
  Math.hypot((one.yaw - other.yaw) / newView.yaw, (one.pitch - other.pitch) / newView.pitch)

const sumOf = ([first = new Float32Array(), ...others]: readonly Float32Array[]): Float32Array =>
  others.reduce((sum, vector) => sum.map((value, at) => value + (vector[at] ?? 0)), first)

/** The first with the highest value; null of none. */
const highest = <T>(items: readonly T[], valueOf: (item: T) => number): { item: T; value: number } | null =>
  items.reduce<{ item: T; value: number } | null>((best, item) => {
    const value = valueOf(item)
    return best === null || value > best.value ? { item, value } : best
  }, null)
