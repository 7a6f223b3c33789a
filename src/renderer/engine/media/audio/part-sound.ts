/** @file Cuts an audio track to the parts of a video, at its packets. */
import { EncodedPacketSink, type EncodedPacket } from 'mediabunny'
import type { Part } from '../range/swap-plan.ts'
import type { KeptSound } from './sound.ts'

/** Seconds before a part at which to look for its first packet; longer than any packet. */
const reach = 1

/**
 * The packets of all parts, with their times in the result.
 *
 * Packets follow the sound before without a gap, if there is sound: a part's first packet is the one whose beginning is
 * nearest to the end of the sound so far, and its last one is the last that begins at least half a packet before the
 * part ends. All packets of a part are shifted alike, so that the sound is at most half a packet off the picture.
 */
export async function* packetsOfParts(
  { track, delay }: Pick<KeptSound, 'track' | 'delay'>,
  parts: readonly Pick<Part, 'from' | 'to' | 'shift'>[],
  options: { metadataOnly?: boolean } = {},
): AsyncGenerator<EncodedPacket, void> {
  const sink = new EncodedPacketSink(track)
  /** End of the sound so far, in the result. */
  let end = 0
  /** Duration of the last packet that had one: Matroska's last one has none. */
  let step = 0
  for (const part of parts) {
    // In the track's times.
    const [from, to, shift] = [part.from + delay, part.to + delay, part.shift - delay]
    let moved: number | null = null
    const first = await sink.getPacket(from - reach, options)
    for await (const packet of sink.packets(first ?? undefined, undefined, options)) {
      if (packet.duration > 0) step = packet.duration
      if (moved === null) {
        const early = end - (packet.timestamp + shift)
        if (early > step / 2) continue
        moved = early > -step / 2 ? shift + early : shift
      }
      const timestamp = packet.timestamp + moved
      if (timestamp >= to + shift - step / 2) break
      yield packet.clone({ timestamp })
      end = timestamp + step
    }
  }
}
