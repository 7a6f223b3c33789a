/** @file Which frames of a video are swapped, and when they are shown in the result. Times are seconds in the file. */
import { EncodedPacketSink, type InputVideoTrack } from 'mediabunny'
import { MienError } from '@shared/mien-error.ts'
import type { Range } from '@shared/people/people.ts'

const metadataOnly = { metadataOnly: true }

/**
 * The first frame that players show: the first key frame. Recordings may begin in the middle of a group; the frames before
 * need others that are missing. So do frames that come after the key frame and are shown before it.
 * @returns its time in seconds, and the number of packets of frames before it
 */
export async function firstShown(video: InputVideoTrack): Promise<{ time: number; hidden: number }> {
  const sink = new EncodedPacketSink(video)
  const key = await sink.getFirstKeyPacket(metadataOnly)
  if (!key) return { time: await video.getFirstTimestamp(), hidden: 0 }
  let hidden = 0
  let hasKey = false
  for await (const { timestamp } of sink.packets(undefined, undefined, metadataOnly)) {
    hasKey ||= timestamp === key.timestamp
    // Those after the key frame come before all that is shown later.
    if (hasKey && timestamp > key.timestamp) break
    if (timestamp < key.timestamp) hidden += 1
  }
  return { time: key.timestamp, hidden }
}

/** Successive frames that are swapped. */
export interface Part {
  /** Time of the first and of the last frame. */
  from: number
  last: number
  /** End of the last frame: the time of the next frame, if there is one. */
  to: number
  frames: number
  /** Index of the first frame in the result. */
  index: number
  /** Time in the result minus time in the file. */
  shift: number
}

/** Seconds. */
export interface Timed {
  timestamp: number
  duration: number
}

/** The whole video: `firstTimestamp` and `earliest` in seconds. */
interface Footage {
  firstTimestamp: number
  earliest: number
  frames: number
  durationMs: number
  endsEarly: boolean
}

/** Tolerance when two times are compared. */
const same = 1e-6

export class SwapPlan {
  /** True if the result has only the frames of the parts. */
  readonly drops: boolean
  /** Number of frames of the result. */
  readonly frames: number
  readonly durationMs: number
  /** End of the result's last frame in the file. */
  readonly end: number
  /** True if the video's last frame lasts shorter than its packet says: until `end`. */
  readonly endsEarly: boolean
  /** Time in the result minus time in the file, unless the rest is dropped. */
  readonly shift: number
  /** Time of the result's first frame, in seconds. */
  readonly start: number

  private constructor(
    /** Ascending. */ readonly parts: readonly Part[],
    result: Pick<SwapPlan, 'drops' | 'frames' | 'durationMs' | 'end' | 'endsEarly' | 'shift' | 'start'>,
    private readonly isWhole = false,
  ) {
    this.drops = result.drops
    this.frames = result.frames
    this.durationMs = result.durationMs
    this.end = result.end
    this.endsEarly = result.endsEarly
    this.shift = result.shift
    this.start = result.start
  }

  /** All frames of a video. */
  static whole({ firstTimestamp, earliest, frames, durationMs, endsEarly }: Footage): SwapPlan {
    const to = firstTimestamp + durationMs / 1000
    const shift = -earliest
    const part = { from: firstTimestamp, last: to, to, frames, index: 0, shift }
    const result = { drops: false, frames, durationMs, end: to, endsEarly, shift, start: firstTimestamp + shift }
    return new SwapPlan([part], result, true)
  }

  /**
   * @param footage the whole video
   * @throws MienError `range-invalid` if a part has no frame, or parts overlap
   */
  static async of(video: InputVideoTrack, range: Range, footage: SwapPlan): Promise<SwapPlan> {
    const drops = range.rest === 'drop'
    const frames = await timesOf(video)
    const start = frames[0]?.timestamp ?? 0
    const msOf = ({ timestamp }: Timed): number => Math.round((timestamp - start) * 1000)
    const parts: Part[] = []
    let length = 0
    let index = 0
    for (const [number, { fromMs, toMs }] of range.parts.entries()) {
      if (toMs <= fromMs) throw new MienError('range-invalid', { reason: 'order' })
      if (fromMs < (range.parts[number - 1]?.toMs ?? 0)) throw new MienError('range-invalid', { reason: 'overlap' })
      const first = frames.findIndex((frame) => msOf(frame) >= fromMs)
      const after = frames.findIndex((frame) => msOf(frame) >= toMs)
      const beyond = after < 0 ? frames.length : after
      const [from, last] = [frames[first], frames[beyond - 1]]
      if (!from) throw new MienError('range-invalid', { reason: 'outside' })
      if (!last || beyond <= first) throw new MienError('range-invalid', { reason: 'empty' })
      const to = frames[beyond]?.timestamp ?? (footage.endsEarly ? footage.end : last.timestamp + last.duration)
      parts.push({
        ...{ from: from.timestamp, last: last.timestamp, to, frames: beyond - first },
        ...(drops ? { index, shift: length - from.timestamp } : { index: first, shift: footage.shift }),
      })
      length += to - from.timestamp
      index += beyond - first
    }
    if (!drops) return new SwapPlan(parts, footage)
    const durationMs = Math.max(1, Math.round(length * 1000))
    const end = parts.at(-1)?.to ?? 0
    return new SwapPlan(parts, { drops, frames: index, durationMs, end, endsEarly: false, shift: 0, start: 0 })
  }

  /** Number of the part that the frame at a time is in; null if it isn't swapped. */
  partAt(time: number): number | null {
    if (this.isWhole) return 0
    const number = this.parts.findIndex(({ from, last }) => time > from - same && time < last + same)
    return number < 0 ? null : number
  }

  /** A frame's time and duration in the result. */
  place({ timestamp, duration }: Timed): Timed {
    const part = this.drops ? this.parts[this.partAt(timestamp) ?? 0] : undefined
    if (!part) {
      const left = Math.max(0, this.end - timestamp)
      // The last frame may have no duration.
      const isShorter = duration === 0 || (this.endsEarly && left < duration)
      return { timestamp: timestamp + this.shift, duration: isShorter ? left : duration }
    }
    const isLast = timestamp > part.last - same
    return { timestamp: timestamp + part.shift, duration: isLast ? part.to - timestamp : duration }
  }

  /** Time at a position in the parts, in seconds from the start of the first; null beyond the last. */
  timeAt(seconds: number): number | null {
    let left = seconds
    for (const { from, to } of this.parts) {
      if (left < to - from) return from + left
      left -= to - from
    }
    return null
  }

  /** Index in the result at a share, 0…1, of the frames that are swapped. */
  indexAt(share: number): number {
    let left = share * this.parts.reduce((sum, { frames }) => sum + frames, 0)
    for (const { index, frames } of this.parts) {
      if (left < frames) return index + left
      left -= frames
    }
    return this.frames
  }

  /** Seconds of video in all parts. */
  get seconds(): number {
    return this.parts.reduce((sum, { from, to }) => sum + to - from, 0)
  }
}

/** Times of all frames that are shown, ascending. */
async function timesOf(video: InputVideoTrack): Promise<Timed[]> {
  const frames: Timed[] = []
  for await (const { timestamp, duration } of new EncodedPacketSink(video).packets(undefined, undefined, {
    metadataOnly: true,
  })) {
    frames.push({ timestamp, duration })
  }
  frames.sort((a, b) => a.timestamp - b.timestamp)
  frames.splice(0, (await firstShown(video)).hidden)
  // Matroska's last packet has no duration.
  const [before, last] = frames.slice(-2)
  if (before && last?.duration === 0) last.duration = last.timestamp - before.timestamp
  return frames
}
