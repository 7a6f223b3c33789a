/** @file Muxes video segments and copied audio packets into MP4, streamed to the job's folder. */
import {
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'
import { AudioCopy } from '../audio/audio-copy.ts'
import { packetsOfParts } from '../audio/part-sound.ts'
import { parameterSets, sameBytes } from './avc-config.ts'
import { FileTarget } from '../job-files.ts'
import { xmpBoxId } from '../marks/input-marks.ts'
import type { ResultMarks } from '../marks/marks.ts'
import { xmpOf } from '../marks/xmp.ts'
import type { VideoFacts } from '../demux/media-input.ts'
import type { SwapPlan } from '../range/swap-plan.ts'
import { PacketPlaces, type PlacedSegment } from './packet-places.ts'
import type { EncodedSegment } from './segment-encoder.ts'
import type { KeptSound } from '../audio/sound.ts'

/** Seconds by which audio packets may precede the video, so that the file interleaves them. */
const audioLead = 1

export interface FinishedOutput {
  sizeBytes: number
  videoCodec: string
}

export class MediaOutput {
  readonly #file: FileTarget
  readonly #output: Output
  readonly #audioFile: Output | null
  readonly #video: EncodedVideoPacketSource
  readonly #audio: AudioCopy[]
  readonly #places: PacketPlaces
  readonly #marks: ResultMarks | null
  #config: VideoDecoderConfig | null = null
  #segments = 0
  /** Codec of the first audio track kept; null without audio. */
  readonly audioCodec: string | null

  private constructor(
    file: FileTarget,
    output: Output,
    audioFile: Output | null,
    video: EncodedVideoPacketSource,
    audio: AudioCopy[],
    audioCodec: string | null,
    places: PacketPlaces,
    marks: ResultMarks | null,
  ) {
    this.#marks = marks
    this.#places = places
    this.#file = file
    this.#output = output
    this.#audioFile = audioFile
    this.#video = video
    this.#audio = audio
    this.audioCodec = audioCodec
  }

  /**
   * Opens a file of the job and, for a swap with audio, `audio.m4a`. Space for the index is reserved at the start, for
   * streaming.
   * @param plan frames of the result; null: all frames
   * @param marks null: none
   */
  static async open(
    folder: string,
    facts: VideoFacts,
    sound: readonly KeptSound[],
    plan: SwapPlan | null = null,
    name: 'output.mp4' | 'joined.mp4' = 'output.mp4',
    marks: ResultMarks | null = null,
  ): Promise<MediaOutput> {
    const parts = plan?.drops ? plan.parts : null
    const format = new Mp4OutputFormat({ fastStart: 'reserve', metadataFormat: 'mdta' })
    const places = new PacketPlaces()
    const file = new FileTarget(folder, name, ({ data, position }) => {
      places.see(data, position)
    })
    const output = new Output({ format, target: file.target })
    const video = new EncodedVideoPacketSource('avc')
    const { timeResolution, rotation, flip } = facts
    const { frames } = plan ?? facts
    // Use the input's time base, so that timestamps stay exact.
    const clock = timeResolution >= 1000 && timeResolution <= 1e6 ? { frameRate: timeResolution } : {}
    output.addVideoTrack(video, { rotation, flip, maximumPacketCount: frames + 8, ...clock })
    const audio: AudioCopy[] = []
    let audioFile: Output | null = null
    let audioCodec: string | null = null
    for (const one of sound) {
      const { track, codec, config, convert, delay } = one
      const packetCount = await countPackets(one, parts)
      if (packetCount === 0) continue
      const head = await new EncodedPacketSink(track).getFirstPacket()
      const metadata = {
        maximumPacketCount: packetCount + 8,
        ...one.metadata,
        // Without it, the muxer buffers everything in memory until a late track has its first packet.
        decoderConfig: config,
        ...(head && {
          primingPacket: head.clone({
            data: convert(head.data),
            timestamp: head.timestamp + (plan?.shift ?? 0) - delay,
          }),
        }),
      }
      const targets = [new EncodedAudioPacketSource(codec)]
      for (const source of targets) output.addAudioTrack(source, metadata)
      if (!audioFile && name === 'output.mp4') {
        const own = new EncodedAudioPacketSource(codec)
        audioFile = new Output({ format, target: new FileTarget(folder, 'audio.m4a').target })
        audioFile.addAudioTrack(own, metadata)
        targets.push(own)
        audioCodec = codec
      }
      audio.push(new AudioCopy(one, targets, parts, plan?.shift ?? 0))
    }
    if (marks) output.setMetadataTags({ raw: { ...marks.inputs.keys, ...(marks.aigc && { AIGC: marks.aigc }) } })
    await output.start()
    await audioFile?.start()
    return new MediaOutput(file, output, audioFile, video, audio, audioCodec, places, marks)
  }

  /** Appends a segment's packets. @returns segments that are now completely in the file, including earlier ones */
  async add({ packets, config }: EncodedSegment): Promise<PlacedSegment[]> {
    const first = this.#config === null
    this.#config ??= config
    // If the encoder's configuration changed, put its parameter sets into the stream.
    const changed = sameBytes(this.#config.description, config.description) ? null : parameterSets(config.description)
    const written = packets.map((packet) =>
      changed && packet.type === 'key'
        ? { packet: withBytesBefore(packet, changed), added: changed.length }
        : { packet, added: 0 },
    )
    this.#places.expect(this.#segments, written)
    this.#segments += 1
    for (const [index, { packet }] of written.entries()) {
      for (const copy of this.#audio) await copy.advance(packet.timestamp + audioLead)
      await this.#video.add(packet, first && index === 0 ? { decoderConfig: config } : undefined)
    }
    await this.#file.flush()
    return this.#places.take()
  }

  async finish(): Promise<FinishedOutput> {
    for (const copy of this.#audio) await copy.advance(Infinity)
    this.#video.close()
    await this.#output.finalize()
    await this.#audioFile?.finalize()
    if (this.#marks) await this.#file.append(xmpBox(xmpOf(this.#marks)))
    return { sizeBytes: this.#file.size, videoCodec: 'avc' }
  }

  async cancel(): Promise<void> {
    for (const copy of this.#audio) await copy.stop()
    await Promise.allSettled([this.#output.cancel(), this.#audioFile?.cancel()])
  }
}

async function countPackets(sound: KeptSound, parts: SwapPlan['parts'] | null): Promise<number> {
  if (!parts) return (await sound.track.computePacketStats()).packetCount
  let count = 0
  for await (const _ of packetsOfParts(sound, parts, { metadataOnly: true })) count += 1
  return count
}

function withBytesBefore(packet: EncodedPacket, before: Uint8Array): EncodedPacket {
  const data = new Uint8Array(before.length + packet.data.length)
  data.set(before)
  data.set(packet.data, before.length)
  return new EncodedPacket(data, packet.type, packet.timestamp, packet.duration)
}

function xmpBox(xmp: string): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(xmp)
  const box = new Uint8Array(8 + xmpBoxId.length + text.length)
  new DataView(box.buffer).setUint32(0, box.length)
  box.set(new TextEncoder().encode('uuid'), 4)
  box.set(xmpBoxId, 8)
  box.set(text, 8 + xmpBoxId.length)
  return box
}
