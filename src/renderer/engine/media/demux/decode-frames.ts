/**
 * @file Decodes a video to one frame per packet, in order. Frames that can't be decoded repeat the previous one, or the
 * next one at the beginning. What is before the first key frame isn't shown.
 */
import {
  EncodedPacketSink,
  InputDisposedError,
  VideoSampleSink,
  type InputVideoTrack,
  type VideoSample,
} from 'mediabunny'
import { MienError } from '@shared/mien-error.ts'
import { firstShown, type SwapPlan } from '../range/swap-plan.ts'

export interface DecodedFrame {
  /** Closed when the next frame is requested. */
  sample: VideoSample
  /** Seconds. Use this, because the sample may be another frame's. */
  timestamp: number
  /** Seconds. */
  duration: number
  /** True if the frame couldn't be decoded and the sample is another frame's. */
  damaged: boolean
}

/** Maximum number of failures in a row before decoding is given up. Each continues at the next key frame. */
const maxFailures = 3
/** Maximum seconds from a key frame to a failure that are decoded again to find the last good frame. */
const maxAgain = 10
/** Gap between two frames, in frame durations, above which frames may be missing. */
const gap = 0.5

/**
 * @param from time in seconds of the first frame; null for the first that players show
 * @throws the decoder's error if no frame can be decoded or too many failures follow each other
 */
export async function* decodeFrames(video: InputVideoTrack, from: number | null): AsyncGenerator<DecodedFrame, void> {
  const packets = new EncodedPacketSink(video)
  let start = from ?? -Infinity
  let last: VideoSample | null = null
  /** All frames up to this time were yielded. */
  let done = (from ?? (await firstShown(video)).time) - 2e-6
  let failures = 0
  try {
    for (;;) {
      let failure: Error | null = null
      const samples = new VideoSampleSink(video).samples(start)
      try {
        for await (const sample of samples) {
          if (sample.timestamp < done) {
            sample.close()
            continue
          }
          failures = 0
          const expected: number = last ? last.timestamp + last.duration * (1 + gap) : sample.timestamp
          if (sample.timestamp > expected || !last) {
            yield* repeat(last ?? sample, await timesBetween(packets, done, sample.timestamp))
          }
          last?.close()
          last = sample
          done = sample.timestamp
          yield { sample, timestamp: sample.timestamp, duration: sample.duration, damaged: false }
        }
      } catch (error) {
        if (error instanceof MienError || error instanceof InputDisposedError) throw error
        failure = error instanceof Error ? error : new Error(String(error))
      }
      if (failure === null) {
        if (last) yield* repeat(last, await timesBetween(packets, done, Infinity))
        return
      }
      failures += 1
      if (failures > maxFailures) throw failure
      const next = await keyAfter(packets, Math.max(done, start))
      // The decoder works ahead. A failure loses an unpredictable number of good frames, so decode them again.
      const lost = (await isFarFromKey(packets, done)) ? [] : await timesBetween(packets, done, next ?? Infinity)
      for await (const sample of rescued(video, lost)) {
        last?.close()
        last = sample
        done = sample.timestamp
        yield { sample, timestamp: sample.timestamp, duration: sample.duration, damaged: false }
      }
      if (!next) {
        // No key frame follows. Repeat the last frame to the end, if there is one.
        if (!last) throw failure
        yield* repeat(last, await timesBetween(packets, done, Infinity))
        return
      }
      if (last) {
        yield* repeat(last, await timesBetween(packets, done, next))
        done = Math.max(done, next - 1e-5)
      }
      start = next
    }
  } finally {
    last?.close()
  }
}

/** Decodes the frames at these times, up to the first that fails. */
async function* rescued(video: InputVideoTrack, times: { timestamp: number }[]): AsyncGenerator<VideoSample, void> {
  const sink = new VideoSampleSink(video)
  const first = (count: number): number[] => times.slice(0, count).map(({ timestamp }) => timestamp)
  const canReach = async (count: number): Promise<boolean> => {
    if (count > times.length) return false
    const wanted = first(count)
    try {
      for await (const sample of sink.samplesAtTimestamps(wanted)) {
        const time = wanted.shift() ?? Infinity
        sample?.close()
        if (!sample || Math.abs(sample.timestamp - time) > 1e-6) return false
      }
      return wanted.length === 0
    } catch {
      return false
    }
  }
  // Exponential then binary search: mostly only a few frames, those the decoder had ahead.
  let count = 0
  let beyond = 1
  for (; await canReach(beyond); beyond *= 2) count = beyond
  while (beyond - count > 1) {
    const middle = (count + beyond) >> 1
    if (await canReach(middle)) count = middle
    else beyond = middle
  }
  for await (const sample of sink.samplesAtTimestamps(first(count))) if (sample) yield sample
}

function* repeat(sample: VideoSample, times: { timestamp: number; duration: number }[]): Generator<DecodedFrame> {
  for (const time of times) yield { sample, ...time, damaged: true }
}

/** Timestamps and durations in seconds of the packets after `from` and before `to`, ascending. */
async function timesBetween(
  sink: EncodedPacketSink,
  from: number,
  to: number,
): Promise<{ timestamp: number; duration: number }[]> {
  const times: { timestamp: number; duration: number }[] = []
  const options = { metadataOnly: true }
  const first =
    (Number.isFinite(from) ? await sink.getKeyPacket(from, options) : null) ?? (await sink.getFirstPacket(options))
  let beyond = 0
  for await (const { timestamp, duration, type } of sink.packets(first ?? undefined, undefined, options)) {
    if (timestamp > from + 1e-6 && timestamp < to - 1e-6) times.push({ timestamp, duration })
    // Frames after a key frame in decoding order may be shown before it, so read on to the next key frame.
    if (type === 'key' && timestamp >= to) beyond += 1
    if (beyond > 1) break
  }
  return times.sort((a, b) => a.timestamp - b.timestamp)
}

/** True if decoding from the key frame to `time` several times would take too long. */
async function isFarFromKey(sink: EncodedPacketSink, time: number): Promise<boolean> {
  const key = Number.isFinite(time) ? await sink.getKeyPacket(time, { metadataOnly: true }) : null
  return key !== null && time - key.timestamp > maxAgain
}

/** Time of the first key frame after `time`, in seconds; null if there is none. */
async function keyAfter(sink: EncodedPacketSink, time: number): Promise<number | null> {
  const options = { metadataOnly: true }
  let packet = Number.isFinite(time) ? await sink.getKeyPacket(time, options) : null
  if (!packet) {
    const first = await sink.getFirstKeyPacket(options)
    packet = first && (await sink.getNextKeyPacket(first, options))
  }
  while (packet && packet.timestamp <= time) packet = await sink.getNextKeyPacket(packet, options)
  return packet?.timestamp ?? null
}

interface PlannedFrame extends DecodedFrame {
  /** Number of the part of the plan; null for a frame that isn't swapped. */
  part: number | null
}

/** Seconds between two parts up to which decoding continues, instead of starting again at a key frame. */
const nearby = 1

/**
 * Decodes the frames of a swap's result, each with the part of the video that it is in.
 * @param from time in seconds of the first frame; null for the first one of the result
 */
export async function* decodeParts(
  video: InputVideoTrack,
  plan: SwapPlan,
  from: number | null,
): AsyncGenerator<PlannedFrame, void> {
  if (!plan.drops) {
    for await (const frame of decodeFrames(video, from)) yield { ...frame, part: plan.partAt(frame.timestamp) }
    return
  }
  for (const run of runsOf(plan)) {
    if (from !== null && from > run.last + 1e-6) continue
    for await (const frame of decodeFrames(video, Math.max(from ?? -Infinity, run.from))) {
      if (frame.timestamp > run.last + 1e-6) break
      const part = plan.partAt(frame.timestamp)
      if (part !== null) yield { ...frame, part }
    }
  }
}

function runsOf({ parts }: SwapPlan): { from: number; last: number }[] {
  const runs: { from: number; last: number }[] = []
  for (const { from, last } of parts) {
    const run = runs.at(-1)
    if (run && from - run.last < nearby) run.last = last
    else runs.push({ from, last })
  }
  return runs
}
