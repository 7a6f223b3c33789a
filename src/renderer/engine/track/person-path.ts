/** @file Where a scan has seen a person, so that a tracker follows nobody else. */
import type { Clip, Place } from '@shared/people/people.ts'
import type { Region } from '../face/region.ts'

/** A face is expected up to this long before and after it was seen, unless its clip ends. */
const expectedMs = 900
/** Seen at about this time. */
const seenMs = 60
/** Max distance of a face from the expected place, and of two faces that hide each other, in sizes of its region. */
const maxAway = 0.5
const hidden = 0.4
/** Max ratio of the sizes. */
const maxScale = 1.8

export class PersonPath {
  readonly #own: readonly Clip[]
  readonly #others: readonly Clip[]
  readonly #firstTimestamp: number

  /**
   * @param own clips of the person
   * @param others clips of everybody else
   * @param firstTimestamp seconds; the clips' times count from there
   */
  constructor(own: readonly Clip[], others: readonly Clip[], firstTimestamp: number) {
    this.#own = own
    this.#others = others
    this.#firstTimestamp = firstTimestamp
  }

  /** The expected region at a time in seconds; null if the person isn't there, or another hides them. */
  at(timestamp: number): Region | null {
    const ms = this.#ms(timestamp)
    const own = placeIn(this.#own, ms)
    if (!own || own.awayMs > expectedMs) return null
    const { region } = own
    if (own.awayMs > seenMs && this.#near(ms).some((other) => distance(other, region) < hidden * region.size))
      return null
    return region
  }

  /** Whether the scan has seen the person at this time. */
  isSeen(timestamp: number): boolean {
    return (placeIn(this.#own, this.#ms(timestamp))?.awayMs ?? Infinity) <= seenMs
  }

  /** Whether the scan has seen the person at this time, or shortly before and after. */
  isThere(timestamp: number): boolean {
    const place = placeIn(this.#own, this.#ms(timestamp))
    return place !== null && (place.awayMs <= seenMs || place.gapMs <= expectedMs)
  }

  /** Distance of the next person from where this one is expected, in sizes of its region; Infinity: nobody else. */
  apart(timestamp: number): number {
    const own = placeIn(this.#own, this.#ms(timestamp))
    if (!own || own.awayMs > expectedMs) return Infinity
    const { region } = own
    return Math.min(...this.#near(this.#ms(timestamp)).map((other) => distance(other, region) / region.size))
  }

  /** Whether a face found there can be this person's. */
  isOwn(found: Region, timestamp: number): boolean {
    const region = this.at(timestamp)
    if (!region) return false
    const away = distance(found, region)
    const scale = Math.abs(Math.log(found.size / region.size))
    if (away > maxAway * region.size || scale > Math.log(maxScale)) return false
    return this.#near(this.#ms(timestamp)).every((other) => away <= distance(found, other))
  }

  #ms(timestamp: number): number {
    return (timestamp - this.#firstTimestamp) * 1000
  }

  /** Where others are expected. */
  #near(ms: number): Region[] {
    return this.#others.flatMap((clip) => {
      const place = placeIn([clip], ms)
      return place && place.awayMs <= expectedMs ? [place.region] : []
    })
  }
}

/**
 * The place in the clip that contains `ms`, the time to the nearest place where the face was seen, and the time between
 * the places around it.
 */
function placeIn(clips: readonly Clip[], ms: number): { region: Region; awayMs: number; gapMs: number } | null {
  // Half a millisecond of tolerance, as times of clips are rounded.
  const clip = clips.find(({ fromMs, toMs }) => ms >= fromMs - 0.5 && ms < toMs - 0.5)
  if (!clip) return null
  const at = lastUpTo(clip.places, ms)
  const before = clip.places[at]
  const after = clip.places[at + 1]
  const [first, second] = [before ?? after, after ?? before]
  if (!first || !second) return null
  const share = first === second ? 0 : (ms - first[0]) / (second[0] - first[0])
  const mix = (axis: 1 | 2 | 3): number => first[axis] + (second[axis] - first[axis]) * share
  return {
    region: { x: mix(1), y: mix(2), size: mix(3), angle: 0 },
    gapMs: before && after ? after[0] - before[0] : Infinity,
    awayMs: Math.min(Math.abs(ms - first[0]), Math.abs(ms - second[0])),
  }
}

/** Index of the last place up to `ms`; −1 if all are later. */
function lastUpTo(places: readonly Place[], ms: number): number {
  let [low, high] = [-1, places.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((places[middle]?.[0] ?? Infinity) <= ms) low = middle
    else high = middle - 1
  }
  return low
}

const distance = (a: Region, b: Region): number => Math.hypot(a.x - b.x, a.y - b.y)
