/**
 * @file Joins the faces of a scan's samples into tracklets: one person, followed without doubt within one shot. Where it
 * is unclear which face is whose, new tracklets begin; clusters.ts joins them by their embeddings.
 */
import type { Place } from '@shared/people/people.ts'
import type { Region } from '../face/region.ts'
import { changedSpots } from '../face/skin-pattern.ts'

/** A face on a sampled frame. */
export interface SampledFace {
  region: Region
  /** Light and dark in the face (face-light.ts). */
  light: Float32Array
}

export interface Tracklet {
  /** Unique in the video, ascending. */
  id: number
  /** Unique for each shot, ascending. */
  shot: number
  /** Ascending by time. */
  places: Place[]
  /** Of the last place. */
  light: Float32Array | null
  /** Weighted sum of embeddings, and the sum of the weights. */
  sum: Float32Array | null
  weight: number
}

export interface Joined {
  tracklet: Tracklet
  /** The first of its tracklet. */
  isNew: boolean
  /** Share of the face's spots whose light changed since the tracklet's last face, 0…1. */
  changed: number
}

/** A face is joined with one seen at most this long before. */
const maxGapMs = 1000
/** Max distance from the expected position, in sizes of the region, and max ratio of sizes. */
const maxAway = 0.45
const maxScale = 1.6
/** The nearest tracklet must be nearer than the next one by this factor. */
const clearlyNearer = 0.5
/** A face and a tracklet with nobody else within this distance are joined if at most this share of the spots changed. */
const alone = { within: 1.2, changed: 0.25 }

export class Tracklets {
  readonly all: Tracklet[] = []
  #open: Tracklet[] = []
  #shot = 0

  /** A cut: nobody is where they were. */
  cut(): void {
    this.#open = []
    this.#shot += 1
  }

  get shot(): number {
    return this.#shot
  }

  /** Adds the faces of a sample. @returns where each went, in the same order */
  add(ms: number, faces: readonly SampledFace[]): Joined[] {
    this.#open = this.#open.filter(({ places }) => ms - (places.at(-1)?.[0] ?? 0) <= maxGapMs)
    const matches = faces.map((face) => matchOf(face, this.#open, ms))
    const near = faces.map((_, at) => {
      const match = matches[at]
      // Two faces that fit the same tracklet are in doubt, too.
      return match && matches.filter((other) => other === match).length === 1 ? match : null
    })
    const taken = this.#withFast(ms, faces, near)
    return faces.map(({ region, light }, at) => {
      const tracklet = taken[at] ?? this.#begin()
      const isNew = tracklet.light === null
      const changed = changedShare(tracklet.light ?? light, light)
      const { x, y, size } = region
      tracklet.places.push([ms, Math.round(x), Math.round(y), Math.max(1, Math.round(size))])
      tracklet.light = light
      return { tracklet, isNew, changed }
    })
  }

  /** Joins those who moved fast, too: a face and a known person's tracklet that are alone, with the same light and dark. */
  #withFast(ms: number, faces: readonly SampledFace[], near: readonly (Tracklet | null)[]): (Tracklet | null)[] {
    const left = this.#open.filter((one) => one.sum !== null && !near.includes(one))
    const away = faces.map(({ region }, at) =>
      near[at] ? [] : left.filter((one) => distance(region, expected(one, ms)) <= alone.within * region.size),
    )
    return faces.map((face, at) => {
      const [only, ...others] = away[at] ?? []
      const isAlone = only && others.length === 0 && away.filter((all) => all.includes(only)).length === 1
      if (!isAlone) return near[at] ?? null
      const isSame = isLikeSized(face, only) && changedShare(only.light ?? face.light, face.light) <= alone.changed
      return isSame ? only : null
    })
  }

  /** The last face of a tracklet is somebody else: it begins another one. */
  partLast(tracklet: Tracklet): Tracklet {
    const next = this.#begin()
    next.light = tracklet.light
    next.places = tracklet.places.splice(-1)
    this.#open = this.#open.filter((one) => one !== tracklet)
    return next
  }

  #begin(): Tracklet {
    const id = this.all.length
    const tracklet = { id, shot: this.#shot, places: [], light: null, sum: null, weight: 0 }
    this.all.push(tracklet)
    this.#open.push(tracklet)
    return tracklet
  }
}

/** The tracklet that a face surely continues. */
function matchOf({ region }: SampledFace, open: readonly Tracklet[], ms: number): Tracklet | null {
  const near = open
    .map((tracklet) => ({ tracklet, away: distance(region, expected(tracklet, ms)) / region.size }))
    .sort((a, b) => a.away - b.away)
  const [first, second] = near
  if (!first || first.away > maxAway) return null
  if (!isLikeSized({ region }, first.tracklet)) return null
  return second && first.away > second.away * clearlyNearer ? null : first.tracklet
}

const isLikeSized = ({ region }: Pick<SampledFace, 'region'>, { places }: Tracklet): boolean =>
  Math.abs(Math.log(region.size / (places.at(-1)?.[3] ?? 0))) <= Math.log(maxScale)

/** Share of the spots in a face whose light changed, 0…1; more light on all of them is no change. */
export function changedShare(then: Float32Array, now: Float32Array): number {
  const { changed, compared } = changedSpots(then, now, true)
  return changed / Math.max(1, compared)
}

/** Where a tracklet's face is at a time, if it keeps its speed. */
function expected({ places }: Tracklet, ms: number): { x: number; y: number } {
  const [before, last] = [places.at(-2), places.at(-1)]
  if (!last) return { x: Infinity, y: Infinity }
  if (!before) return { x: last[1], y: last[2] }
  // Heads turn back more often than they go on.
  const ahead = Math.min(1, (ms - last[0]) / Math.max(1, last[0] - before[0])) / 2
  return { x: last[1] + (last[1] - before[1]) * ahead, y: last[2] + (last[2] - before[2]) * ahead }
}

const distance = (a: { x: number; y: number }, b: { x: number; y: number }): number => Math.hypot(a.x - b.x, a.y - b.y)

/** Adds an embedding of unit length. */
export function addEmbedding(tracklet: Tracklet, embedding: Float32Array, weight: number): void {
  tracklet.sum ??= new Float32Array(embedding.length)
  for (let i = 0; i < embedding.length; i += 1) tracklet.sum[i] = (tracklet.sum[i] ?? 0) + (embedding[i] ?? 0) * weight
  tracklet.weight += weight
}
