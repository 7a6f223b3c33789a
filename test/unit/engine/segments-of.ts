/** @file Files as the engine reads them, and their packets in segments as the engine encodes them. */
import {
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  CustomVideoDecoder,
  EncodedPacket,
  EncodedVideoPacketSource,
  FilePathSource,
  Input,
  MkvOutputFormat,
  Output,
  registerDecoder,
  type InputVideoTrack,
  type Source,
  type VideoCodec,
} from 'mediabunny'
import { openMedia, type MediaInput } from '../../../src/renderer/engine/media/demux/media-input.ts'
import type { EncodedSegment } from '../../../src/renderer/engine/media/encode/segment-encoder.ts'
import { packetsOf } from '../../fixtures/media-facts.ts'

/** Node has no decoder, and a video that none can read isn't opened. */
class AnyDecoder extends CustomVideoDecoder {
  static override supports = (codec: VideoCodec) => codec === 'avc'
  init(): void {}
  decode(): void {}
  flush(): void {}
  close(): void {}
}
registerDecoder(AnyDecoder)

/** Opens a file of the job's folder. */
export const openItem = (name: string): Promise<MediaInput> =>
  openMedia(`media://item/${name}`, new AbortController().signal)

async function trackOf(source: Source): Promise<InputVideoTrack> {
  const video = await new Input({ source, formats: ALL_FORMATS }).getPrimaryVideoTrack()
  if (!video) throw new Error('no video')
  return video
}

export const videoOf = (path: string): Promise<InputVideoTrack> => trackOf(new FilePathSource(path))

/** A track of VP9 that is made of these packets, in memory. */
export async function vp9Of(packets: readonly EncodedPacket[], codedWidth: number, codedHeight: number) {
  const target = new BufferTarget()
  const output = new Output({ format: new MkvOutputFormat(), target })
  const source = new EncodedVideoPacketSource('vp9')
  output.addVideoTrack(source)
  await output.start()
  const meta = { decoderConfig: { codec: 'vp09.00.10.08', codedWidth, codedHeight } }
  for (const packet of packets) await source.add(packet, meta)
  await output.finalize()
  return trackOf(new BufferSource(target.buffer ?? new ArrayBuffer()))
}

/** A video's packets in segments of so many frames, its times moved by `later` seconds. */
export async function segmentsOf(video: InputVideoTrack, frames: number, later = 0): Promise<EncodedSegment[]> {
  const config = await video.getDecoderConfig()
  if (!config) throw new Error('no configuration')
  const segments: EncodedSegment[] = []
  for (const { data, type, timestamp, duration } of await packetsOf(video)) {
    if ((segments.at(-1)?.packets.length ?? frames) >= frames) segments.push({ packets: [], config })
    segments.at(-1)?.packets.push(new EncodedPacket(data, type, timestamp + later, duration))
  }
  return segments
}
