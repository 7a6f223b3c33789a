/** @file What the last proof found of the people in a video, for further parts of it and for the swap that follows it. */
import type { Range } from '@shared/people/people.ts'
import { contentOf } from '../../media/digest.ts'
import type { SeenPerson } from './first-frames.ts'
import type { RequestOf } from '../job-context.ts'

let kept: { key: string; seen: SeenPerson[] } | null = null
/** Of pixels: five frames of 4K, and a little more. */
const maxBytes = 80e6

/**
 * Names the video's content, the people and the range: what is found depends on nothing else. Null for a swap that is no
 * proof while nothing is kept: the name isn't needed, so the file isn't read.
 */
export async function keyOfSeen(
  { cast, stay, video, proofOf }: RequestOf<'swap'>,
  reach: Range | null,
  signal: AbortSignal,
): Promise<string | null> {
  if (!proofOf && !kept) return null
  return JSON.stringify([await contentOf(video, signal), cast.map(({ clips }) => clips), stay, reach])
}

/** Null if something else is kept. A swap that is no proof is the last one that needs it. */
export function takeSeen(key: string, isProof: boolean): SeenPerson[] | null {
  const seen = kept?.key === key ? kept.seen : null
  if (!isProof) kept = null
  return seen
}

/** Keeps it in place of what was kept before, unless its frames need too much memory. */
export function keepSeen(key: string, seen: SeenPerson[]): void {
  const planes = new Set(seen.flatMap(({ frames }) => frames.map(({ planes: each }) => each.y.buffer)))
  const bytes = [...planes].reduce((sum, { byteLength }) => sum + byteLength, 0)
  kept = bytes <= maxBytes ? { key, seen } : null
}
