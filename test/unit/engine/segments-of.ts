/** @file Files as the engine reads them, and their packets in segments as the engine encodes them. */
import {
  ALL_FORMATS,
  CustomVideoDecoder,
  EncodedPacket,
  FilePathSource,
  Input,
  registerDecoder,
  type InputVideoTrack,
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

export async function videoOf(path: string): Promise<InputVideoTrack> {
  const video = await new Input({ source: new FilePathSource(path), formats: ALL_FORMATS }).getPrimaryVideoTrack()
  if (!video) throw new Error('no video')
  return video
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
