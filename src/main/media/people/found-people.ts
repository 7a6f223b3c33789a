/** @file People that a scan found: their ids, and the user's corrections of them. Pure. */
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import {
  clipSchema,
  momentSchema,
  type Moment,
  type PeopleScan,
  type Person,
  type Split,
} from '@shared/people/people.ts'
import { areSplitsOf, withSplits, type Piece } from './split-clips.ts'

export const foundSchema = z.array(
  z.object({ id: z.string(), clips: z.array(clipSchema), moments: z.array(momentSchema).exactOptional() }),
)
/** Most prominent first. */
export type FoundPerson = z.infer<typeof foundSchema>[number]

/**
 * Gives ids to the people of a scan. A person keeps the id of the person in `before` (an earlier state of the same
 * scan) with whom they share most clips; others get the next of p1, p2, ….
 */
export function withIds(people: PeopleScan['people'], before: readonly FoundPerson[]): FoundPerson[] {
  const owners = new Map(before.flatMap(({ id, clips }) => clips.map((clip) => [clip.id, id] as const)))
  const taken = new Set<string>()
  const kept = people.map(({ clips }) => {
    const most = mostFrequent(clips.flatMap((clip) => owners.get(clip.id) ?? [])).find((owner) => !taken.has(owner))
    if (most !== undefined) taken.add(most)
    return most
  })
  const used = new Set([...before.map(({ id }) => id), ...taken])
  let number = 0
  const next = (): string => {
    do number += 1
    while (used.has(`p${String(number)}`))
    return `p${String(number)}`
  }
  return people.map((person, index) => ({ id: kept[index] ?? next(), ...person }))
}

/** The people as found, without corrections. */
export const peopleOf = (found: readonly FoundPerson[]): Person[] =>
  found.map(({ id, clips }) => ({ id, name: null, clipIds: clips.map((clip) => clip.id) }))

/** What the user made of the people that a scan found. */
export interface Corrections {
  people: Person[]
  splits: Split[]
}

/** By time. */
export const clipsOf = (found: readonly FoundPerson[], splits: readonly Split[]): Piece[] =>
  withSplits(
    found.flatMap(({ clips }) => clips),
    splits,
  ).toSorted((one, other) => one.fromMs - other.fromMs)

export function momentsOf(found: readonly FoundPerson[], splits: readonly Split[]): Moment[] {
  const moments = found.flatMap((person) => person.moments ?? [])
  if (splits.length === 0) return moments
  const pieces = clipsOf(found, splits)
  return moments.map((moment) => {
    const piece = pieces.findLast(({ scanned, fromMs }) => scanned === moment.clipId && fromMs <= moment.atMs)
    return { ...moment, clipId: piece?.id ?? moment.clipId }
  })
}

/**
 * Applies corrections of an unfinished scan to the clips it found since. A person's new clips go to whoever has most of
 * that person's other clips. Clips of somebody new make a new person.
 * @param known the clips that were found when `people` were corrected
 */
export function extended(
  people: readonly Person[],
  known: ReadonlySet<number>,
  found: readonly FoundPerson[],
): Person[] {
  const there = new Set(clipsOf(found, []).map(({ id }) => id))
  const all = people.map((person) => ({ ...person, clipIds: person.clipIds.filter((id) => there.has(id)) }))
  const owners = new Map(all.flatMap((person) => person.clipIds.map((id) => [id, person] as const)))
  for (const { id, clips } of found) {
    const fresh = clips.filter((clip) => !known.has(clip.id) && !owners.has(clip.id)).map((clip) => clip.id)
    const [heir] = mostFrequent(clips.flatMap((clip) => owners.get(clip.id) ?? []))
    if (heir) heir.clipIds.push(...fresh)
    else if (fresh.length === clips.length) all.push({ id, name: null, clipIds: fresh })
  }
  return all
}

/** The different values, the most frequent first. */
function mostFrequent<T>(values: readonly T[]): T[] {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([value]) => value)
}

/** @throws MienError `bad-argument`: an id twice, an unknown clip, a clip twice, or a split outside of a clip */
export function checkCorrections({ people, splits }: Corrections, found: readonly FoundPerson[]): void {
  const refuse = (reason: string): never => {
    throw new MienError('bad-argument', { field: 'people', reason })
  }
  const known = new Set(clipsOf(found, splits).map(({ id }) => id))
  if (!areSplitsOf(clipsOf(found, []), splits)) refuse('A split isn’t inside of a clip, or is there twice.')
  const ids = new Set<string>()
  for (const { id, clipIds } of people) {
    if (ids.has(id)) refuse('Two people have the same id.')
    ids.add(id)
    // `delete` returns false for unknown clips, and for clips that another person already has.
    for (const clipId of clipIds) if (!known.delete(clipId)) refuse('A clip doesn’t exist, or is there twice.')
  }
}

/** Whether corrections of one scan of a video mean the same in another: the clips they name have the same times. */
export function correctionsFit(
  { people, splits }: Corrections,
  before: readonly FoundPerson[],
  after: readonly FoundPerson[],
): boolean {
  const timesOf = (found: readonly FoundPerson[]) =>
    new Map(clipsOf(found, splits).map(({ id, fromMs, toMs }) => [id, `${String(fromMs)}-${String(toMs)}`]))
  const [old, now] = [timesOf(before), timesOf(after)]
  return people.every(({ clipIds }) => clipIds.every((id) => now.has(id) && now.get(id) === old.get(id)))
}
