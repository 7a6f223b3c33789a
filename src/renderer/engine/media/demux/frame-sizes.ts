/** @file Finds videos whose size changes, before any work: by the headers of all key frames. */
import { EncodedPacketSink, type InputVideoTrack } from 'mediabunny'
import { MienError } from '@shared/mien-error.ts'
import { sizeOfSps } from '../pixels/avc-color.ts'
import { headerOfAv1, headerOfVp9, spsOfStream, spsOfUnits } from '../pixels/stream-tags.ts'

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

/**
 * Only where sizes change: most tracks of MP4 have one; those of `avc3` say it in the stream.
 * @throws MienError `codec-unsupported`
 */
export async function refuseChangingSize(video: InputVideoTrack, codec: string): Promise<void> {
  const sink = new EncodedPacketSink(video)
  let first: string | null = null
  for (let packet = await sink.getFirstKeyPacket(); packet; packet = await sink.getNextKeyPacket(packet)) {
    const size = sizeOfKeyFrame(codec, packet.data)
    first ??= size
    if (first === null) return
    if (size !== null && size !== first) throw new MienError('codec-unsupported', { reason: 'size-changes' })
  }
}
