import { EncodedPacketSink } from 'mediabunny'
import type { MediaInput } from './media-input.ts'

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
