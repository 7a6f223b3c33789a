/** @file Where people are in a frame of the composer's video, by what the scan saw. Pure. */
import type { Person, VideoPeople } from '@shared/people/people.ts'

/** `[ms, x, y, size]` of each place in a row, as `Place` in people.ts; by the clip's id. */
export type PlacesOfClips = ReadonlyMap<number, Int32Array>

/** In pixels of the upright video; attributes of an SVG ellipse. */
export interface Oval {
  readonly cx: number
  readonly cy: number
  readonly rx: number
  readonly ry: number
}

export interface PlacedPerson {
  person: Person
  /** In the list of people. */
  index: number
  oval: Oval
}

/** A face isn't drawn this long before or after it was seen; the scan sees it every 0.4 s. */
const maxAwayMs = 500

/** The people who are seen at a time, in their order. */
export function placesAt({ people, clips }: VideoPeople, places: PlacesOfClips, ms: number): PlacedPerson[] {
  const there = clips.filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs)
  return people.flatMap((person, index) => {
    const clip = there.find(({ id }) => person.clipIds.includes(id))
    const oval = clip && ovalAt(places.get(clip.id) ?? new Int32Array(), ms)
    return oval ? [{ person, index, oval }] : []
  })
}

/** Between two places, a face moves in a straight line. */
function ovalAt(places: Int32Array, ms: number): Oval | null {
  let after = 0
  while (after < places.length && (places[after] ?? 0) <= ms) after += 4
  const before = after - 4
  const [first, second] = [before < 0 ? after : before, after < places.length ? after : before]
  const msOf = (at: number): number => places[at] ?? -Infinity
  if (Math.min(Math.abs(ms - msOf(first)), Math.abs(ms - msOf(second))) > maxAwayMs) return null
  const share = first === second ? 0 : (ms - msOf(first)) / (msOf(second) - msOf(first))
  const mix = (axis: number): number => {
    const [one, other] = [places[first + axis] ?? 0, places[second + axis] ?? 0]
    return one + (other - one) * share
  }
  // The place is a square 1.5 times as high as the face.
  const size = mix(3)
  return { cx: mix(1), cy: mix(2), rx: size * 0.25, ry: size / 3 }
}
