/**
 * @file Decides which audio tracks a swapped video keeps: packets are copied, or 8-bit samples widened without loss.
 */
import {
  EncodedPacketSink,
  Mp4OutputFormat,
  type AudioCodec,
  type AudioTrackMetadata,
  type InputAudioTrack,
} from 'mediabunny'
import { toPcm16, widened } from './narrow-pcm.ts'

export interface KeptSound {
  track: InputAudioTrack
  codec: AudioCodec
  config: AudioDecoderConfig
  /** Its language, title and flags. */
  metadata: Pick<AudioTrackMetadata, 'languageCode' | 'name' | 'disposition'>
  /** Converts a packet's data to `codec`. */
  convert: (data: Uint8Array) => Uint8Array
}

export interface Sound {
  kept: KeptSound[]
  /** Codecs of tracks that MP4 doesn't support. Unknown codecs have the container's name. */
  lost: string[]
  /** Codec of the first track; null without audio. */
  codec: string | null
}

/**
 * Sorts audio tracks into kept and lost ones. Tracks without packets are ignored.
 * @param languages by the ids of tracks, where mediabunny doesn't tell them
 */
export async function sortSound(
  tracks: readonly InputAudioTrack[],
  languages: ReadonlyMap<number, string> = new Map(),
): Promise<Sound> {
  const sound: Sound = { kept: [], lost: [], codec: null }
  const holds = new Mp4OutputFormat().getSupportedAudioCodecs()
  for (const track of tracks) {
    const mp3 = await quickTimeMp3(track)
    const codec = mp3 ? 'mp3' : await track.getCodec()
    const name = codec ?? nameOf(await track.getInternalCodecId())
    const config = mp3 ?? (await track.getDecoderConfig())
    if (codec && !(await new EncodedPacketSink(track).getFirstPacket({ metadataOnly: true }))) continue
    sound.codec ??= name
    if (!codec || !config) sound.lost.push(name)
    else if (widened(codec)) {
      const { numberOfChannels, sampleRate } = config
      const wide: AudioDecoderConfig = { codec: 'pcm-s16', numberOfChannels, sampleRate }
      sound.kept.push({
        track,
        metadata: await metadataOf(track, languages),
        codec: 'pcm-s16',
        config: wide,
        convert: (data) => toPcm16(codec, data),
      })
    } else if (holds.includes(codec)) {
      sound.kept.push({ track, metadata: await metadataOf(track, languages), codec, config, convert: (data) => data })
    } else sound.lost.push(name)
  }
  return sound
}

/** QuickTime's names of MP3 (QuickTime File Format, sound sample descriptions), which mediabunny doesn't know. */
const mp3Names = ['.mp3', 'ms\0U']

/** Null for other sound, and where old files count samples instead of frames. */
async function quickTimeMp3(track: InputAudioTrack): Promise<AudioDecoderConfig | null> {
  const id = await track.getInternalCodecId()
  if (typeof id !== 'string' || !mp3Names.includes(id)) return null
  const [first, second = 0] = (await new EncodedPacketSink(track).getFirstPacket())?.data ?? []
  // A frame begins with 11 bits that are 1 (ISO/IEC 11172-3, 2.4.1.3).
  if (first !== 0xff || second < 0xe0) return null
  return {
    codec: 'mp3',
    numberOfChannels: await track.getNumberOfChannels(),
    sampleRate: await track.getSampleRate(),
  }
}

async function metadataOf(
  track: InputAudioTrack,
  languages: ReadonlyMap<number, string>,
): Promise<KeptSound['metadata']> {
  const name = await track.getName()
  const languageCode = languages.get(track.id) ?? (await track.getLanguageCode())
  return { languageCode, disposition: await track.getDisposition(), ...(name !== null && { name }) }
}

/** Removes the prefix of Matroska's codec IDs, such as "A_ALAC". */
const nameOf = (id: string | number | Uint8Array | null): string =>
  (typeof id === 'string' ? id.replace(/^A_/, '').trim() : '') || 'unknown'
