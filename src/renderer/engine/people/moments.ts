/** @file The moments of a video in which a person is hard to swap, by what a scan measures anyway. */
import type { Clip, Moment, Place } from '@shared/people/people.ts'
import type { Points } from '../face/landmarks.ts'
import type { Region } from '../face/region.ts'
import { medianOf } from '../common/median.ts'
import { unseen } from '../face/skin-pattern.ts'
import { mouthOpenness } from '../track/shape-change.ts'
import type { Joined, Tracklet } from './tracklets.ts'

/** A face that the detector found. */
export interface SeenFace {
  region: Region
  /** See `turnOfDetection`. */
  turn: number
}

interface Sample {
  turn: number
  /** Mean luma. */
  light: number
  /** Share of spots whose light changed since the sample before. */
  changed: number
  /** See `mouthOpenness`; null without landmarks. */
  mouth: number | null
}

/**
 * Values at which a moment begins to be hard, and at which it can't be harder. Calm faces were measured up to 0.1 (turned),
 * 0.24 (covered) and 0.3 (fast).
 */
const bounds: Record<Moment['kind'], readonly [from: number, to: number]> = {
  turned: [0.1, 0.4],
  covered: [0.3, 0.7],
  talking: [0.04, 0.14],
  /** Sizes of the region in a second. */
  fast: [0.5, 2],
  /** Ratio to the person's usual light, as a logarithm of base 2. */
  light: [0.4, 1.2],
  /** Face width in pixels. */
  small: [80, 30],
}
/** The light also changes where something is in front of the face, but only if the face keeps its pose and place. */
const still = { turn: 0.12, speed: 0.5 }
/** Samples that are further apart say nothing about speed. */
const nearMs = 600
/** For each kind, one moment is kept of so much of a clip. */
const eachMs = 10_000
const minScore = 0.1

/** Places are different for two faces on one sample. */
const keyOf = ([ms, x, y]: Place): string => [ms, x, y].join(' ')

export class Moments {
  readonly #samples = new Map<string, Sample>()

  /** Notes the last face of a tracklet. */
  see({ tracklet, changed }: Pick<Joined, 'tracklet' | 'changed'>, { turn }: SeenFace): void {
    const place = tracklet.places.at(-1)
    const light = [...(tracklet.light ?? [])].filter((value) => value !== unseen)
    if (!place || light.length === 0) return
    const mean = light.reduce((sum, value) => sum + value, 0) / light.length
    this.#samples.set(keyOf(place), { turn, light: mean, changed, mouth: null })
  }

  /** Notes the landmarks of the last face of a tracklet. */
  look(tracklet: Pick<Tracklet, 'places'>, points: Points): void {
    const place = tracklet.places.at(-1)
    const sample = place && this.#samples.get(keyOf(place))
    if (sample) sample.mouth = mouthOpenness(points)
  }

  /** The hardest moments of one person: for each kind at most one in ten seconds of a clip. */
  of(clips: readonly Clip[]): Moment[] {
    const usual = medianOf(
      clips.flatMap(({ places }) => places.flatMap((place) => this.#samples.get(keyOf(place))?.light ?? [])),
    )
    return clips.flatMap(({ id, places }) => {
      const best = new Map<string, Moment>()
      for (const [at, place] of places.entries()) {
        const [atMs] = place
        for (const [kind, value] of this.#valuesAt(place, places[at - 1] ?? null, usual)) {
          const [from, to] = bounds[kind]
          const score = Math.round(Math.max(0, Math.min(1, (value - from) / (to - from))) * 100) / 100
          const slot = `${kind} ${String(Math.floor(atMs / eachMs))}`
          if (score >= minScore && score > (best.get(slot)?.score ?? 0))
            best.set(slot, { atMs, clipId: id, kind, score })
        }
      }
      return [...best.values()]
    })
  }

  #valuesAt(place: Place, before: Place | null, usual: number): [Moment['kind'], number][] {
    const sample = this.#samples.get(keyOf(place))
    if (!sample) return []
    const [ms, x, y, size] = place
    const earlier = before && ms - before[0] <= nearMs ? this.#samples.get(keyOf(before)) : undefined
    const speed = before && earlier ? (Math.hypot(x - before[1], y - before[2]) / size / (ms - before[0])) * 1000 : 0
    const isStill = earlier && Math.abs(sample.turn - earlier.turn) < still.turn && speed < still.speed
    return [
      ['turned', sample.turn],
      ['covered', isStill ? sample.changed : 0],
      ['talking', sample.mouth ?? 0],
      ['fast', speed],
      ['light', Math.abs(Math.log2(Math.max(1, sample.light) / Math.max(1, usual)))],
      // The region is one and a half times as large as the face.
      ['small', size / 1.5],
    ]
  }
}
