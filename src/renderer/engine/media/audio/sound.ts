/**
 * @file Decides which audio tracks a swapped video keeps: packets are copied, or 8-bit samples widened without loss.
 */
import {
  EncodedPacketSink,
  Mp4OutputFormat,
  type AudioCodec,
  type AudioTrackMetadata,
  type InputAudioTrack,
  type InputTrack,
} from 'mediabunny'
import { noRoles, type Roles } from '../containers/roles.ts'

/** Converts 8-bit PCM, A-law and µ-law (ITU-T G.711), which MP4 lacks, to 16-bit PCM without loss. */
const readers = {
  'pcm-u8': (byte: number) => (byte - 128) * 256,
  'pcm-s8': (byte: number) => ((byte ^ 0x80) - 128) * 256,
  alaw: (byte: number) => {
    const bits = byte ^ 0x55
    const exponent = (bits >> 4) & 7
    const step = ((bits & 15) << 4) + 8
    const size = exponent === 0 ? step : (step + 256) << (exponent - 1)
    return bits & 0x80 ? size : -size
  },
  ulaw: (byte: number) => {
    const bits = byte ^ 0xff
    const size = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132
    return bits & 0x80 ? -size : size
  },
} as const

type NarrowCodec = keyof typeof readers

/** True for a codec that `toPcm16` can convert. */
export const widened = (codec: string): codec is NarrowCodec => Object.hasOwn(readers, codec)

/** Converts one byte per sample to two, little-endian. */
export function toPcm16(codec: NarrowCodec, data: Uint8Array): Uint8Array {
  const read = readers[codec]
  const out = new DataView(new ArrayBuffer(data.length * 2))
  data.forEach((byte, index) => {
    out.setInt16(index * 2, read(byte), true)
  })
  return new Uint8Array(out.buffer)
}

export interface KeptSound {
  track: InputAudioTrack
  codec: AudioCodec
  config: AudioDecoderConfig
  /** Its language, title and flags. */
  metadata: Pick<AudioTrackMetadata, 'languageCode' | 'name' | 'disposition'>
  /** Converts a packet's data to `codec`. */
  convert: (data: Uint8Array) => Uint8Array
  /** Seconds by which packets are played before the times that the track gives them (CodecDelay in RFC 9559, 5.1.4.1.25). */
  delay: number
  /** What it is for. */
  roles: Roles
}

export interface Sound {
  kept: KeptSound[]
  /** Codecs of tracks that MP4 doesn't support. Unknown codecs have the container's name. */
  lost: string[]
  /** Codec of the first track; null without audio. */
  codec: string | null
}

interface Told {
  languages?: ReadonlyMap<number, string> | undefined
  /** Seconds; see `KeptSound`. */
  delays?: ReadonlyMap<number, number> | undefined
  /** Names of codecs that mediabunny doesn't know. */
  codecs?: ReadonlyMap<number, string> | undefined
  roles?: ReadonlyMap<number, Roles> | undefined
}

/**
 * Sorts audio tracks into kept and lost ones. Tracks without packets are ignored.
 * @param told what mediabunny doesn't tell of tracks, by their ids
 */
export async function sortSound(
  tracks: readonly InputAudioTrack[],
  { languages, delays, codecs, roles }: Told = {},
): Promise<Sound> {
  const sound: Sound = { kept: [], lost: [], codec: null }
  const holds = new Mp4OutputFormat().getSupportedAudioCodecs()
  for (const track of tracks) {
    const mp3 = await quickTimeMp3(track)
    const codec = mp3 ? 'mp3' : await track.getCodec()
    const name = codec ?? codecs?.get(track.id) ?? nameOf(await track.getInternalCodecId())
    const config = mp3 ?? (await track.getDecoderConfig())
    if (codec && !(await new EncodedPacketSink(track).getFirstPacket({ metadataOnly: true }))) continue
    sound.codec ??= name
    const shared = { track, delay: delays?.get(track.id) ?? 0, roles: roles?.get(track.id) ?? noRoles }
    if (!codec || !config) sound.lost.push(name)
    else if (widened(codec)) {
      const { numberOfChannels, sampleRate } = config
      const wide: AudioDecoderConfig = { codec: 'pcm-s16', numberOfChannels, sampleRate }
      sound.kept.push({
        ...shared,
        metadata: await metadataOf(track, languages?.get(track.id)),
        codec: 'pcm-s16',
        config: wide,
        convert: (data) => toPcm16(codec, data),
      })
    } else if (holds.includes(codec)) {
      const metadata = await metadataOf(track, languages?.get(track.id))
      sound.kept.push({ ...shared, metadata, codec, config, convert: (data) => data })
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

async function metadataOf(track: InputAudioTrack, language: string | undefined): Promise<KeptSound['metadata']> {
  return { ...(await namesOf(track, language)), disposition: await track.getDisposition() }
}

/** @param language where mediabunny doesn't read it */
export async function namesOf(
  track: InputTrack,
  language: string | undefined,
): Promise<Pick<AudioTrackMetadata, 'languageCode' | 'name'>> {
  const name = await track.getName()
  return { languageCode: language ?? (await track.getLanguageCode()), ...(name !== null && { name }) }
}

/** Removes the prefix of Matroska's codec IDs, such as "A_ALAC". */
const nameOf = (id: string | number | Uint8Array | null): string =>
  (typeof id === 'string' ? id.replace(/^A_/, '').trim() : '') || 'unknown'
