/** @file Turns clustered tracklets into the people of a scan. */
import { maxPeople, type Clip, type PeopleScan } from '@shared/people/people.ts'
import type { Tracklet } from './tracklets.ts'

/** Times in ms. */
interface Video {
  /** Where a shot begins that isn't the first. */
  cuts: readonly number[]
  /** Nobody is seen after it. */
  durationMs: number
}

/** A person is seen at least this long and this often. Less is a mistake of the models, or passes by. */
const least = { ms: 800, samples: 2 }
/** Times between samples count as seen up to this gap. */
const seenGapMs = 1500

/**
 * @param clusters tracklets by person
 * @param everyMs time between two samples: somebody may have come and gone so much earlier and later
 * @returns people, the most prominent first
 */
export function peopleOf(
  clusters: readonly (readonly Tracklet[])[],
  video: Video,
  everyMs: number,
): PeopleScan['people'] {
  const people = clusters.flatMap((tracklets) => {
    const clips = clipsOf(tracklets, video, everyMs)
    const isReal = seenMs(clips, everyMs) >= least.ms && countOf(clips) >= least.samples
    return isReal ? [{ clips, prominence: prominenceOf(clips, everyMs) }] : []
  })
  return people
    .sort((a, b) => b.prominence - a.prominence)
    .slice(0, maxPeople)
    .map(({ clips }) => ({ clips }))
}

function clipsOf(tracklets: readonly Tracklet[], { cuts, durationMs }: Video, everyMs: number): Clip[] {
  const byShot = new Map<number, Tracklet[]>()
  for (const tracklet of tracklets) byShot.set(tracklet.shot, [...(byShot.get(tracklet.shot) ?? []), tracklet])
  return [...byShot]
    .sort(([a], [b]) => a - b)
    .map(([number, parts]) => {
      const places = parts.flatMap((part) => part.places).sort(([a], [b]) => a - b)
      const [first, last] = [places[0]?.[0] ?? 0, places.at(-1)?.[0] ?? 0]
      return {
        // The first tracklet's, so that a clip keeps its id as the scan goes on.
        id: Math.min(...parts.map(({ id }) => id)),
        fromMs: Math.max(cuts[number - 1] ?? 0, first - everyMs),
        toMs: Math.min(cuts[number] ?? durationMs, last + everyMs + 1),
        places,
      }
    })
}

const countOf = (clips: readonly Clip[]): number => clips.reduce((sum, { places }) => sum + places.length, 0)

/** Milliseconds in which the person is on the screen. */
function seenMs(clips: readonly Clip[], everyMs: number): number {
  let sum = 0
  for (const { places } of clips) {
    sum += everyMs
    for (const [at, place] of places.entries()) {
      const gap = place[0] - (places[at - 1]?.[0] ?? place[0])
      if (gap <= seenGapMs) sum += gap
    }
  }
  return sum
}

/** Time on the screen, weighted by size. */
function prominenceOf(clips: readonly Clip[], everyMs: number): number {
  const sizes = clips.flatMap(({ places }) => places.map(([, , , size]) => size))
  return (seenMs(clips, everyMs) * sizes.reduce((sum, size) => sum + size, 0)) / sizes.length
}
