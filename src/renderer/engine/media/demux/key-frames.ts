/** @file Key frames: their times, and videos whose size changes, which their headers say before any work. */
import { EncodedPacketSink, type EncodedPacket } from 'mediabunny'
import type { MediaInput } from './media-input.ts'
import { MienError } from '@shared/mien-error.ts'
import { sizeOfSps } from '../pixels/avc-color.ts'
import { headerOfAv1, headerOfVp9, spsOf, spsOfStream, spsOfUnits } from '../pixels/stream-tags.ts'

/**
 * Times of the last key frames at or before some positions, without duplicates. A key frame decodes without others. If
 * there is none in the part, the part's first frame is taken.
 * @param moments shares of what is swapped, 0…1
 * @returns seconds
 */
export async function keyTimes({ video, plan }: MediaInput, moments: readonly number[]): Promise<number[]> {
  const packets = new EncodedPacketSink(video)
  const found = await Promise.all(
    moments.map(async (moment) => {
      const time = plan.timeAt(moment * plan.seconds)
      if (time === null) return []
      const from = plan.parts.findLast((part) => part.from <= time)?.from ?? time
      const key = await packets.getKeyPacket(time, { metadataOnly: true })
      return Math.max(from, key?.timestamp ?? from)
    }),
  )
  return [...new Set(found.flat())]
}

/** The size that a key frame's header has, to be compared with others; null if it is elsewhere. */
export function sizeOfKeyFrame(codec: string, data: Uint8Array): string | null {
  const byte = (at: number): number => data[at] ?? 0
  // RFC 6386, 9.1: behind a tag of three bytes and a start code.
  if (codec === 'vp8') return [byte(6), byte(7) & 0x3f, byte(8), byte(9) & 0x3f].join()
  if (codec === 'avc') {
    // Matroska has units with lengths, MPEG-TS start codes.
    const sps = spsOfUnits(data) ?? spsOfStream(data)
    return sps && sizeOfSps(sps)
  }
  if (codec === 'vp9') return headerOfVp9(data)?.size ?? null
  return codec === 'av1' ? (headerOfAv1(data)?.size ?? null) : null
}

/** Key frames that are looked at where sizes seldom change: reading more would take long for a long file. */
const maxSeldom = 64

/**
 * All key frames are looked at if the first one says its size. Most tracks of MP4 have one size, so only some of theirs are;
 * those of `avc3` say it in the stream.
 * @throws MienError `codec-unsupported`
 */
export async function refuseChangingSize({ video, facts }: Pick<MediaInput, 'video' | 'facts'>): Promise<void> {
  const { codec, container } = facts
  const mayChange =
    ['Matroska', 'WebM', 'MPEG Transport Stream'].includes(container) || (await video.getInternalCodecId()) === 'avc3'
  const sink = new EncodedPacketSink(video)
  const key = await sink.getFirstKeyPacket()
  const own = key && sizeOfKeyFrame(codec, key.data)
  const sps = own === null && codec === 'avc' ? await spsOf(video) : null
  const first = own ?? (sps && sizeOfSps(sps))
  if (first === null) return
  for await (const { data } of mayChange && own !== null ? everyKey(sink) : someKeys(sink)) {
    const size = sizeOfKeyFrame(codec, data)
    if (size !== null && size !== first) throw new MienError('codec-unsupported', { reason: 'size-changes' })
  }
}

async function* everyKey(sink: EncodedPacketSink, options = {}): AsyncGenerator<EncodedPacket, void> {
  for (let key = await sink.getFirstKeyPacket(options); key; key = await sink.getNextKeyPacket(key, options)) yield key
}

/** Spread over the whole file, with the last. */
async function* someKeys(sink: EncodedPacketSink): AsyncGenerator<EncodedPacket, void> {
  const times: number[] = []
  for await (const { timestamp } of everyKey(sink, { metadataOnly: true })) times.push(timestamp)
  const step = Math.max(1, times.length / maxSeldom)
  for (let at = times.length - 1; at >= 0; at -= step) {
    const key = await sink.getKeyPacket(times[Math.round(at)] ?? 0)
    if (key) yield key
  }
}
