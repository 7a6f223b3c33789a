/** @file The people of a video: what is shown about them, and corrections as pure functions on their clips. */
import { formatLength } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { Person, VideoPeople } from '@shared/people/people.ts'

export type PersonClip = VideoPeople['clips'][number]

interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** @param index the person's place in the list, from 0 */
export const personName = ({ name }: Person, index: number): string => name ?? m.person({ number: index + 1 })

/** The search for faces has ended without one. */
export const hasNobody = ({ error, scanned, clips, people }: VideoPeople): boolean =>
  !error && scanned >= 1 && clips.length === 0 && people.length === 0

/** The person's clips, by time. */
export const clipsOf = ({ clips }: VideoPeople, { clipIds }: Person): PersonClip[] =>
  clips.filter(({ id }) => clipIds.includes(id)).toSorted(byTime)

/** Clips that nobody has, by time. */
export function strayClips({ people, clips }: VideoPeople): PersonClip[] {
  const taken = new Set(people.flatMap(({ clipIds }) => clipIds))
  return clips.filter(({ id }) => !taken.has(id)).toSorted(byTime)
}

const byTime = (a: PersonClip, b: PersonClip): number => a.fromMs - b.fromMs || a.id - b.id

/** Media id of the face of the longest clip; null without clips. */
export function faceIdOf(clips: readonly PersonClip[]): string | null {
  const [longest] = clips.toSorted((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs))
  return longest?.faceId ?? null
}

/** Joins spans that overlap or touch. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = []
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1)
    if (last === undefined || fromMs > last.toMs) joined.push({ fromMs, toMs })
    else joined[joined.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, toMs) }
  }
  return joined
}

/** How long at least one of the clips lasts. */
export const seenMs = (clips: readonly Span[]): number =>
  joinSpans(clips).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)

/** Gives clips to a person, or to nobody. People without clips are removed. */
export const moveClips = (people: readonly Person[], clipIds: readonly number[], to: string | null): Person[] =>
  people
    .map((person) => {
      const others = person.clipIds.filter((id) => !clipIds.includes(id))
      return { ...person, clipIds: person.id === to ? [...others, ...clipIds] : others }
    })
    .filter((person) => person.clipIds.length > 0)

export const addPerson = (people: readonly Person[], clipIds: readonly number[], id: string): Person[] =>
  moveClips([...people, { id, name: null, clipIds: [] }], clipIds, id)

/** Gives all clips of a person to another, who also takes the name unless named. */
export function mergePeople(people: readonly Person[], from: string, to: string): Person[] {
  const gone = people.find(({ id }) => id === from)
  if (gone === undefined || from === to) return [...people]
  return moveClips(people, gone.clipIds, to).map((person) =>
    person.id === to ? { ...person, name: person.name ?? gone.name } : person,
  )
}

/** @param name empty: no name */
export const renamePerson = (people: readonly Person[], id: string, name: string): Person[] =>
  people.map((person) => (person.id === id ? { ...person, name: name.trim() || null } : person))

export const removePerson = (people: readonly Person[], id: string): Person[] =>
  people.filter((person) => person.id !== id)

/** "0:30 to 0:31". */
export const clipText = ({ fromMs, toMs }: Span): string =>
  m.part_from_to({ from: formatLength(fromMs), to: formatLength(toMs) })
