/** @file A file's tracks as the engine reads them, and its packets in segments as the engine encodes them. */
import { ALL_FORMATS, EncodedPacket, EncodedPacketSink, FilePathSource, Input, type InputVideoTrack } from 'mediabunny'
import type { VideoFacts } from '../../../src/renderer/engine/media/demux/media-input.ts'
import type { EncodedSegment } from '../../../src/renderer/engine/media/encode/segment-encoder.ts'
import { hdTags } from '../../../src/renderer/engine/media/pixels/color-tags.ts'
import { noRoles } from '../../../src/renderer/engine/media/containers/roles.ts'
import { sortSound, type KeptSound } from '../../../src/renderer/engine/media/audio/sound.ts'

/** Those of the sample clip. */
export const sampleFacts: VideoFacts = {
  ...{
    kind: 'video',
    container: 'MP4',
    codec: 'avc',
    codedWidth: 1280,
    codedHeight: 720,
    width: 1280,
    height: 720,
    rotation: 0,
  },
  ...{
    flip: false,
    durationMs: 6000,
    endsEarly: false,
    frames: 150,
    fps: 25,
    timeResolution: 12_800,
    firstTimestamp: 0,
    earliest: 0,
    bitrate: 1e6,
  },
  ...{ audioCodec: 'aac', lostSound: [], missing: [], view: { a: 1, b: 0, c: 0, d: 0, e: 1, f: 0 } },
  names: {},
  roles: noRoles,
  ...{ tags: hdTags, color: { matrix: 'bt709', full: false } },
}

export async function tracksOf(path: string): Promise<{ video: InputVideoTrack; audio: readonly KeptSound[] }> {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS })
  const video = await input.getPrimaryVideoTrack()
  if (!video) throw new Error('no video')
  return { video, audio: (await sortSound(await input.getAudioTracks())).kept }
}

/** A video's packets in segments of so many frames, its times moved by `later` seconds. */
export async function segmentsOf(video: InputVideoTrack, frames: number, later = 0): Promise<EncodedSegment[]> {
  const config = await video.getDecoderConfig()
  if (!config) throw new Error('no configuration')
  const segments: EncodedSegment[] = []
  for await (const { data, type, timestamp, duration } of new EncodedPacketSink(video).packets()) {
    if ((segments.at(-1)?.packets.length ?? frames) >= frames) segments.push({ packets: [], config })
    segments.at(-1)?.packets.push(new EncodedPacket(data, type, timestamp + later, duration))
  }
  return segments
}
