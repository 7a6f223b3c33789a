/** @file Where new frames are joined into a finished video, whose other packets stay as they are. */
import { MienError } from '@shared/mien-error.ts'
import type { Range, VideoPart } from '@shared/people/people.ts'
import type { SwapPlan, Timed } from './swap-plan.ts'

export interface TimedPacket extends Timed {
  isKey: boolean
}

/** Frames are in the order in which they are shown. */
export interface JoinPlan {
  /** Packets to copy before the new ones, in decoding order. */
  before: number
  /** Time of the key frame from which packets are copied after the new ones; null if there is none. */
  nextKey: number | null
  /** Replaced frames before the part, of the part, and after it. The first and the last are encoded again. */
  head: Timed[]
  part: Timed[]
  tail: Timed[]
  /** Index of the part's first frame. */
  firstFrame: number
  /** Its time, in milliseconds from the result's first frame. */
  firstMs: number
}

/**
 * The fewest packets to replace. New packets begin with a key frame, so they can begin wherever all packets before are
 * shown before. They end before a key frame.
 * @param packets of the finished video, in decoding order
 * @throws MienError `range-invalid` if the part has no frame
 */
export function planJoin(packets: readonly TimedPacket[], { fromMs, toMs }: VideoPart): JoinPlan {
  const shown = packets.map(({ timestamp, duration }) => ({ timestamp, duration }))
  shown.sort((a, b) => a.timestamp - b.timestamp)
  const start = shown[0]?.timestamp ?? 0
  const msOf = ({ timestamp }: Timed): number => Math.round((timestamp - start) * 1000)
  const part = shown.filter((frame) => msOf(frame) >= fromMs && msOf(frame) < toMs)
  const [first, last] = [part[0], part.at(-1)]
  if (!first || !last) throw new MienError('range-invalid', { reason: 'empty' })
  /** The latest frame of the packets before each, and the earliest of those from each on. */
  const latest: number[] = [-Infinity]
  for (const { timestamp } of packets) latest.push(Math.max(latest.at(-1) ?? -Infinity, timestamp))
  const earliest: number[] = [Infinity]
  for (const { timestamp } of packets.toReversed()) earliest.push(Math.min(earliest.at(-1) ?? Infinity, timestamp))
  earliest.reverse()
  const isBoundary = (at: number): boolean => (latest[at] ?? 0) < (earliest[at] ?? 0)
  let begin = packets.findIndex(({ timestamp }) => timestamp >= first.timestamp)
  while (!isBoundary(begin)) begin -= 1
  // Nothing behind the key frame may be shown before it.
  const isStart = ({ timestamp, isKey }: TimedPacket, at: number): boolean => isKey && earliest[at] === timestamp
  const next = packets.find((packet, at) => packet.timestamp > last.timestamp && isStart(packet, at) && isBoundary(at))
  const until = next?.timestamp ?? Infinity
  const from = earliest[begin] ?? first.timestamp
  return {
    ...{ before: begin, nextKey: next?.timestamp ?? null, part },
    head: shown.filter(({ timestamp }) => timestamp >= from && timestamp < first.timestamp),
    tail: shown.filter(({ timestamp }) => timestamp > last.timestamp && timestamp < until),
    ...{ firstFrame: shown.indexOf(first), firstMs: msOf(first) },
  }
}

/**
 * The frames of the source video that are shown in a part of the result.
 * @param part frames of the result
 * @param plan of the swap that made the result
 * @param start time of the source video's first frame, in seconds
 * @param resultStart time of the result's first frame, in seconds; earlier versions began later than 0
 */
export function sourceRange(part: readonly Timed[], plan: SwapPlan, start: number, resultStart: number): Range {
  const pieces = plan.drops ? plan.parts : [{ from: -Infinity, last: Infinity, shift: resultStart - start }]
  const parts = pieces.flatMap(({ from, last, shift }) => {
    const inside = part
      .map(({ timestamp }) => timestamp - shift)
      .filter((time) => time > from - closeEnough && time < last + closeEnough)
    const [first, end] = [inside[0], inside.at(-1)]
    if (first === undefined || end === undefined) return []
    const msOf = (time: number): number => Math.max(0, Math.round((time - start) * 1000))
    return { fromMs: msOf(first), toMs: msOf(end) + 1 }
  })
  return { parts, rest: 'drop' }
}

/** Seconds by which a frame of the result may be off its source's, because of the clocks of two files. */
const closeEnough = 0.002

/**
 * True if frames of the source video are those of the part, one by one.
 * @param plan of `sourceRange`
 * @param frames of the source video, in any order
 */
export function isSame(part: readonly Timed[], plan: SwapPlan, frames: readonly Timed[]): boolean {
  const shown = frames.filter(({ timestamp }) => plan.partAt(timestamp) !== null).map((frame) => plan.place(frame))
  shown.sort((a, b) => a.timestamp - b.timestamp)
  const [own = 0, other = 0] = [part[0]?.timestamp, shown[0]?.timestamp]
  const isClose = ({ timestamp }: Timed, at: number): boolean =>
    Math.abs(timestamp - own - ((shown[at]?.timestamp ?? NaN) - other)) < closeEnough
  return shown.length === part.length && part.every(isClose)
}
