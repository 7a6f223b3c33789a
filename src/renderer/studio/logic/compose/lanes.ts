/** @file The lanes in which people are corrected: one for each person, and one for the clips of nobody. Pure. */
import { m } from '@shared/i18n/paraglide/messages.js'
import type { Person, VideoPeople } from '@shared/people/people.ts'
import { clipsOf, personName, strayClips, type PersonClip } from './people.ts'

export interface PersonLane {
  /** Null: nobody. */
  readonly person: Person | null
  readonly name: string
  readonly clips: readonly PersonClip[]
}

export const lanesOf = (video: VideoPeople): PersonLane[] => [
  ...video.people.map((person, index) => ({
    person,
    name: personName(person, index),
    clips: clipsOf(video, person),
  })),
  { person: null, name: m.not_a_person(), clips: strayClips(video) },
]

/**
 * The clip that an arrow key leads to; there are two columns in each lane. The first clip if there is no current one.
 * @param current id of the clip that has the focus
 * @param arrow name of the key
 */
export function clipBeside(
  lanes: readonly PersonLane[],
  current: number | null,
  arrow: string,
): PersonClip | undefined {
  const filled = lanes.filter(({ clips }) => clips.length > 0)
  const lane = filled.find(({ clips }) => clips.some(({ id }) => id === current))
  if (!lane) return filled[0]?.clips[0]
  const at = lane.clips.findIndex(({ id }) => id === current)
  if (arrow === 'ArrowUp') return lane.clips[at - 2]
  if (arrow === 'ArrowDown') return lane.clips[at + 2]
  const right = arrow === 'ArrowRight'
  const next = lane.clips[right ? at + 1 : at - 1]
  if (next && (at % 2 === 0) === right) return next
  const other = filled[filled.indexOf(lane) + (right ? 1 : -1)]
  const row = at - (at % 2)
  return other?.clips[Math.min(right ? row : row + 1, other.clips.length - 1)]
}
