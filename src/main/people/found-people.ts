/** @file People that a scan found: their ids, and the user's corrections of them. Pure. */
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { clipSchema, type Clip, type PeopleScan, type Person } from '@shared/people.ts'

export const foundSchema = z.array(z.object({ id: z.string(), clips: z.array(clipSchema) }))
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
    const shared = new Map<string, number>()
    for (const clip of clips) {
      const owner = owners.get(clip.id)
      if (owner !== undefined && !taken.has(owner)) shared.set(owner, (shared.get(owner) ?? 0) + 1)
    }
    const [most] = [...shared].toSorted(([, one], [, other]) => other - one)
    if (most) taken.add(most[0])
    return most?.[0]
  })
  const used = new Set([...before.map(({ id }) => id), ...taken])
  let number = 0
  const next = (): string => {
    do number += 1
    while (used.has(`p${String(number)}`))
    return `p${String(number)}`
  }
  return people.map(({ clips }, index) => ({ id: kept[index] ?? next(), clips }))
}

/** The people as found, without corrections. */
export const peopleOf = (found: readonly FoundPerson[]): Person[] =>
  found.map(({ id, clips }) => ({ id, name: null, clipIds: clips.map((clip) => clip.id) }))

export const clipsOf = (found: readonly FoundPerson[]): Clip[] =>
  found.flatMap(({ clips }) => clips).toSorted((one, other) => one.fromMs - other.fromMs)

/** @throws MienError `bad-argument`: an id twice, an unknown clip, or a clip twice */
export function checkCorrections(people: readonly Person[], found: readonly FoundPerson[]): void {
  const refuse = (reason: string): never => {
    throw new MienError('bad-argument', { field: 'people', reason })
  }
  const known = new Set(clipsOf(found).map(({ id }) => id))
  const ids = new Set<string>()
  for (const { id, clipIds } of people) {
    if (ids.has(id)) refuse('Two people have the same id.')
    ids.add(id)
    // Deleting finds clips that don't exist as well as clips that another person has.
    for (const clipId of clipIds) if (!known.delete(clipId)) refuse('A clip doesn’t exist, or is there twice.')
  }
}

/** Whether corrections of one scan of a video mean the same in another: the clips they name have the same times. */
export function correctionsFit(
  corrections: readonly Person[],
  before: readonly FoundPerson[],
  after: readonly FoundPerson[],
): boolean {
  const timesOf = (found: readonly FoundPerson[]) =>
    new Map(clipsOf(found).map(({ id, fromMs, toMs }) => [id, `${String(fromMs)}-${String(toMs)}`]))
  const [old, now] = [timesOf(before), timesOf(after)]
  return corrections.every(({ clipIds }) => clipIds.every((id) => now.has(id) && now.get(id) === old.get(id)))
}
