/** @file Clips of a scan that the user split: "from here on, it's somebody else". Pure. */
import type { Clip, Place, Split } from '@shared/people/people.ts'
import { pieceId } from '@shared/people/split.ts'

/** A clip of a scan, or a piece of one. */
export interface Piece extends Clip {
  /** Id of the scan's clip. */
  scanned: number
  isWhole: boolean
}

/** Replaces split clips by their pieces. */
export function withSplits(clips: readonly Clip[], splits: readonly Split[]): Piece[] {
  return clips.flatMap((clip) => {
    const times = splits.flatMap(({ clipId, atMs }) => (clipId === clip.id && isInside(clip, atMs) ? [atMs] : []))
    if (times.length === 0) return [{ ...clip, scanned: clip.id, isWhole: true }]
    const starts = [clip.fromMs, ...new Set(times.toSorted((a, b) => a - b))]
    return starts.map((fromMs, at): Piece => {
      const toMs = starts[at + 1] ?? clip.toMs
      const id = at === 0 ? clip.id : pieceId({ clipId: clip.id, atMs: fromMs })
      return { id, scanned: clip.id, isWhole: false, fromMs, toMs, places: within(clip, fromMs, toMs) }
    })
  })
}

const isInside = ({ fromMs, toMs }: Clip, atMs: number): boolean => atMs > fromMs && atMs < toMs

/** Whether each split is inside of a clip, and there once. */
export function areSplitsOf(clips: readonly Clip[], splits: readonly Split[]): boolean {
  const isOf = ({ clipId, atMs }: Split): boolean => clips.some((clip) => clip.id === clipId && isInside(clip, atMs))
  return splits.every(isOf) && new Set(splits.map(({ clipId, atMs }) => `${String(clipId)} ${String(atMs)}`)).size === splits.length // prettier-ignore
}

/** The places from one time to another, with one at the time of each split. */
function within({ places, fromMs: first, toMs: last }: Clip, fromMs: number, toMs: number): Place[] {
  const inside = places.filter(([ms]) => ms >= fromMs && (ms < toMs || toMs === last))
  const before = fromMs > first && inside[0]?.[0] !== fromMs ? [placeAt(places, fromMs)] : []
  return [...before, ...inside, ...(toMs < last ? [placeAt(places, toMs)] : [])]
}

/** Where the face is at a time. Before the first place, and after the last one, it stays there. */
export function placeAt(places: readonly Place[], ms: number): Place {
  const before = places.findLast(([at]) => at <= ms) ?? places[0]
  const after = places.find(([at]) => at >= ms) ?? places.at(-1)
  if (!before || !after) throw new Error('A clip has at least one place')
  const [from, to] = [before[0], after[0]]
  const share = to > from && ms > from ? (ms - from) / (to - from) : 0
  const mix = (axis: 1 | 2 | 3): number => Math.round(before[axis] + (after[axis] - before[axis]) * share)
  return [ms, mix(1), mix(2), mix(3)]
}
