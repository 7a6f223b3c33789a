/** @file Every frame of a video in order, one for each packet: what cannot be decoded is given as the frame before it. */
import {
  EncodedPacketSink,
  InputDisposedError,
  VideoSampleSink,
  type InputVideoTrack,
  type VideoSample,
} from 'mediabunny'
import { MienError } from '@shared/errors.ts'

export interface DecodedFrame {
  /** Closed when the next frame is asked for. */
  sample: VideoSample
  /** Seconds; of the frame itself, whatever the sample says. */
  timestamp: number
  duration: number
  /** The sample is another frame's. */
  damaged: boolean
}

/** A video of which so many key frames in a row cannot be used is given up. */
const maxFailures = 3
/** Seconds that are decoded again to find out how far a broken stretch can be read. */
const maxAgain = 10
/** More of a frame's duration than this between two frames, and something may be missing. */
const gap = 0.5

/**
 * @param from seconds; the first frame is the one shown then
 * @throws what the decoder says when nothing at all, or too much in a row, cannot be read
 */
export async function* decodeFrames(video: InputVideoTrack, from: number | null): AsyncGenerator<DecodedFrame, void> {
  const packets = new EncodedPacketSink(video)
  let start = from ?? -Infinity
  let last: VideoSample | null = null
  /** Up to here every frame was given. */
  let done = from === null ? -Infinity : from - 1e-6
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
          if (sample.timestamp > expected || (!last && from === null)) {
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
      // The decoder works ahead, and what it had made is lost with it: more or less of it, by chance.
      const lost = (await isFarFromKey(packets, done)) ? [] : await timesBetween(packets, done, next ?? Infinity)
      for await (const sample of rescued(video, lost)) {
        last?.close()
        last = sample
        done = sample.timestamp
        yield { sample, timestamp: sample.timestamp, duration: sample.duration, damaged: false }
      }
      if (!next) {
        // Nothing more can be read; without a frame there is nothing to show for the rest either.
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

/** The frames at these times, up to the first that cannot be decoded. */
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
  // Mostly a few: what the decoder had ahead.
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

/** Times of the packets after `from` and before `to`, in order. */
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
    // Frames that come after a key frame in the file may be shown before it.
    if (type === 'key' && timestamp >= to) beyond += 1
    if (beyond > 1) break
  }
  return times.sort((a, b) => a.timestamp - b.timestamp)
}

/** Whether decoding up to there again, a few times, would take too long. */
async function isFarFromKey(sink: EncodedPacketSink, time: number): Promise<boolean> {
  const key = Number.isFinite(time) ? await sink.getKeyPacket(time, { metadataOnly: true }) : null
  return key !== null && time - key.timestamp > maxAgain
}

/** Time of the first key frame after `time`; null when there is none. */
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
