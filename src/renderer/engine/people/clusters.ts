/**
 * @file Groups tracklets by person. The similarity of two groups is the cosine of their summed embeddings, so that many
 * good pictures outweigh a few poor ones. Two faces on one frame are never the same person.
 */
import { cosineOf } from './cosine.ts'
import { samePersonCosine } from './face-embedder.ts'
import type { Tracklet } from './tracklets.ts'

/** A tracklet of few or poor pictures joins the most similar person above this cosine, if no other is nearly as similar. */
const weaklySame = 0.25
const clearly = 0.08
/** Least sum of weights with which a tracklet can be a person by itself. */
const reliable = 0.5
/** Rounds of moving tracklets to the most similar group. */
const rounds = 3

class Group {
  readonly sum: Float32Array
  readonly members = new Set<Tracklet>()

  constructor(length: number) {
    this.sum = new Float32Array(length)
  }

  add(tracklet: Tracklet): void {
    this.members.add(tracklet)
    this.#plus(tracklet, 1)
  }

  remove(tracklet: Tracklet): void {
    this.members.delete(tracklet)
    this.#plus(tracklet, -1)
  }

  /** Whether a member is seen at the same time. */
  clashes(tracklet: Tracklet): boolean {
    for (const member of this.members) if (member !== tracklet && meet(member, tracklet)) return true
    return false
  }

  #plus({ sum }: Tracklet, sign: 1 | -1): void {
    for (let i = 0; i < this.sum.length; i += 1) this.sum[i] = (this.sum[i] ?? 0) + sign * (sum?.[i] ?? 0)
  }
}

/** @returns tracklets by person; those of nobody are left out */
export function clustersOf(all: readonly Tracklet[]): Tracklet[][] {
  const known = all.filter(({ sum }) => sum !== null).sort((a, b) => b.weight - a.weight)
  const length = known[0]?.sum?.length ?? 0
  const groups: Group[] = []
  for (const tracklet of known.filter(({ weight }) => weight >= reliable)) {
    const best = mostSimilar(tracklet, groups)
    if (best && best.cosine >= samePersonCosine) best.group.add(tracklet)
    else {
      const group = new Group(length)
      group.add(tracklet)
      groups.push(group)
    }
  }
  mergeAlike(groups)
  for (let round = 0; round < rounds; round += 1) {
    for (const tracklet of known) move(tracklet, groups)
    mergeAlike(groups)
  }
  return groups.filter(({ members }) => members.size > 0).map(({ members }) => [...members])
}

interface Similar {
  group: Group
  cosine: number
  /** The next group's. */
  next: number
}

/** The most similar group without a member seen at the same time. */
function mostSimilar(tracklet: Tracklet, groups: readonly Group[]): Similar | null {
  const fitting = groups
    .filter((group) => group.members.size > 0 && !group.clashes(tracklet))
    .map((group) => ({ group, cosine: tracklet.sum ? cosineOf(group.sum, tracklet.sum) : -1 }))
    .sort((a, b) => b.cosine - a.cosine)
  const [best, second] = fitting
  return best ? { ...best, next: second?.cosine ?? -1 } : null
}

/** Moves a tracklet to the group that it is most similar to. */
function move(tracklet: Tracklet, groups: readonly Group[]): void {
  const now = groups.find(({ members }) => members.has(tracklet))
  now?.remove(tracklet)
  const best = mostSimilar(tracklet, groups)
  const isReliable = tracklet.weight >= reliable
  const isSame =
    best !== null &&
    (isReliable ? best.cosine >= samePersonCosine : best.cosine >= weaklySame && best.cosine - best.next >= clearly)
  if (isSame) best.group.add(tracklet)
  // Alone again, or still.
  else if (isReliable) now?.add(tracklet)
}

/** Joins the most similar groups, again and again. */
function mergeAlike(groups: Group[]): void {
  for (;;) {
    let best: { a: Group; b: Group; cosine: number } | null = null
    for (const [at, a] of groups.entries()) {
      for (const b of groups.slice(at + 1)) {
        if (a.members.size === 0 || b.members.size === 0) continue
        const cosine = cosineOf(a.sum, b.sum)
        if (cosine < Math.max(samePersonCosine, best?.cosine ?? 0)) continue
        if ([...b.members].some((member) => a.clashes(member))) continue
        best = { a, b, cosine }
      }
    }
    if (!best) return
    for (const member of [...best.b.members]) {
      best.b.remove(member)
      best.a.add(member)
    }
    groups.splice(groups.indexOf(best.b), 1)
  }
}

/** Whether both are seen on a sample. */
function meet(a: Tracklet, b: Tracklet): boolean {
  if (a.shot !== b.shot) return false
  const times = new Set(a.places.map(([ms]) => ms))
  return b.places.some(([ms]) => times.has(ms))
}
