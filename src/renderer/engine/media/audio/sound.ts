/** @file Which sound tracks a swapped video can keep, and how: packets as they are, or samples widened without loss. */
import { EncodedPacketSink, Mp4OutputFormat, type AudioCodec, type InputAudioTrack } from 'mediabunny'
import { toPcm16, widened } from './narrow-pcm.ts'

export interface KeptSound {
  track: InputAudioTrack
  codec: AudioCodec
  config: AudioDecoderConfig
  /** What becomes of a packet's bytes. */
  convert: (data: Uint8Array) => Uint8Array
}

export interface Sound {
  kept: KeptSound[]
  /** Codecs of the tracks that an MP4 file has no place for, in the container's own words where nobody else has any. */
  lost: string[]
  /** Of the first track; null without sound. */
  codec: string | null
}

/** Tracks without a packet count as none. */
export async function sortSound(tracks: readonly InputAudioTrack[]): Promise<Sound> {
  const sound: Sound = { kept: [], lost: [], codec: null }
  const holds = new Mp4OutputFormat().getSupportedAudioCodecs()
  for (const track of tracks) {
    const codec = await track.getCodec()
    const name = codec ?? nameOf(await track.getInternalCodecId())
    const config = await track.getDecoderConfig()
    if (codec && !(await new EncodedPacketSink(track).getFirstPacket({ metadataOnly: true }))) continue
    sound.codec ??= name
    if (!codec || !config) sound.lost.push(name)
    else if (widened(codec)) {
      const { numberOfChannels, sampleRate } = config
      const wide: AudioDecoderConfig = { codec: 'pcm-s16', numberOfChannels, sampleRate }
      sound.kept.push({ track, codec: 'pcm-s16', config: wide, convert: (data) => toPcm16(codec, data) })
    } else if (holds.includes(codec)) sound.kept.push({ track, codec, config, convert: (data) => data })
    else sound.lost.push(name)
  }
  return sound
}

/** "A_ALAC" is how Matroska spells it. */
const nameOf = (id: string | number | Uint8Array | null): string =>
  (typeof id === 'string' ? id.replace(/^A_/, '').trim() : '') || 'unknown'
