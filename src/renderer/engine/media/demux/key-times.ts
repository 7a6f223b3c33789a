import { EncodedPacketSink } from 'mediabunny'
import type { MediaInput } from './media-input.ts'

/**
 * Times of the last key frames at or before some positions, without duplicates. A key frame decodes without others.
 * @param moments shares of the duration, 0…1
 * @returns seconds
 */
export async function keyTimes({ video, facts }: MediaInput, moments: readonly number[]): Promise<number[]> {
  const packets = new EncodedPacketSink(video)
  const found = await Promise.all(
    moments.map((moment) =>
      packets.getKeyPacket(facts.firstTimestamp + (moment * facts.durationMs) / 1000, { metadataOnly: true }),
    ),
  )
  return [...new Set(found.flatMap((packet) => packet?.timestamp ?? []))]
}
