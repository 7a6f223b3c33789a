/** @file Muxes video segments and copied audio packets into MP4, streamed to the job's folder. */
import {
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'
import { AudioCopy, packetsOfParts } from '../audio/audio-copy.ts'
import { parameterSets, sameBytes } from './avc-config.ts'
import { box, joined, numberAt } from '../containers/boxes.ts'
import type { Roles } from '../containers/roles.ts'
import { FileTarget } from '../job-files.ts'
import { xmpBoxId, type ResultMarks, xmpOf } from '../marks/marks.ts'
import type { MediaInput } from '../demux/media-input.ts'
import { SwapPlan } from '../range/swap-plan.ts'
import { placeCues, type TextTrack, bytesOfTexts, withTexts } from '../texts/texts.ts'
import { PacketPlaces, type PlacedSegment } from './packet-places.ts'
import type { EncodedSegment } from './segment-encoder.ts'
import type { KeptSound } from '../audio/sound.ts'
import { MienError } from '@shared/mien-error.ts'

/** Seconds by which audio packets may precede the video, so that the file interleaves them. */
const audioLead = 1
/** Bytes that mediabunny reserves in the index for each packet, at least. */
const bytesOfPacket = 32

export interface FinishedOutput {
  sizeBytes: number
  videoCodec: string
}

export class MediaOutput {
  #config: VideoDecoderConfig | null = null
  #segments = 0

  private constructor(
    private readonly file: FileTarget,
    private readonly output: Output,
    private readonly audioFile: Output | null,
    private readonly video: EncodedVideoPacketSource,
    private readonly audio: AudioCopy[],
    /** Codec of the first audio track kept; null without audio. */ readonly audioCodec: string | null,
    private readonly places: PacketPlaces,
    private readonly marks: ResultMarks | null,
    private readonly addTexts: () => Promise<void>,
  ) {}

  /**
   * Opens a file of the job and, for a swap with audio, `audio.m4a`. Space for the index is reserved at the start, for
   * streaming.
   * @param media whose sound and texts are copied
   * @param plan frames of the result; null: all frames
   * @param marks null: none
   */
  static async open(
    folder: string,
    { facts, audio: sound, texts }: Readonly<Pick<MediaInput, 'facts' | 'texts'>> & { audio: readonly KeptSound[] },
    plan: SwapPlan | null = null,
    name: 'output.mp4' | 'joined.mp4' = 'output.mp4',
    marks: ResultMarks | null = null,
  ): Promise<MediaOutput> {
    const parts = plan?.drops ? plan.parts : null
    const format = { fastStart: 'reserve', metadataFormat: 'mdta' } as const
    const tracks = (await texts())
      .map((track) => ({ ...track, cues: placeCues(track.cues, plan ?? SwapPlan.whole(facts)) }))
      .filter(({ cues }) => cues.length > 0)
    const places = new PacketPlaces()
    const file = new FileTarget(folder, name, ({ data, position }) => {
      places.see(data, position)
    })
    let index: [data: Uint8Array, at: number] = [new Uint8Array(), 0]
    const onMoov = (data: Uint8Array, at: number): void => {
      index = [data.slice(), at]
    }
    const counted = await Promise.all(sound.map(async (one) => ({ one, packetCount: await countPackets(one, parts) })))
    const heard = counted.filter(({ packetCount }) => packetCount > 0)
    // The muxer counts tracks from 1.
    const roles = new Map([facts, ...heard.map(({ one }) => one)].map((track, at) => [at + 1, track.roles] as const))
    for (const [id, own] of roles) if (own.length === 0) roles.delete(id)
    const addTexts = async (): Promise<void> => {
      if (tracks.length + roles.size > 0) await file.replace(indexWithTexts(...index, tracks, roles), index[1])
    }
    const output = new Output({ format: new Mp4OutputFormat({ ...format, onMoov }), target: file.target })
    const video = new EncodedVideoPacketSource('avc')
    const { timeResolution, rotation, flip, names } = facts
    const { frames } = plan ?? facts
    // Use the input's time base, so that timestamps stay exact.
    const clock = timeResolution >= 1000 && timeResolution <= 1e6 ? { frameRate: timeResolution } : {}
    const room = Math.ceil(bytesOfTexts(tracks, roles) / bytesOfPacket)
    output.addVideoTrack(video, { rotation, flip, ...names, maximumPacketCount: frames + 8 + room, ...clock })
    const audio: AudioCopy[] = []
    let audioFile: Output | null = null
    let audioCodec: string | null = null
    for (const { one, packetCount } of heard) {
      const { track, codec, config, convert, delay } = one
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
        audioFile = new Output({
          format: new Mp4OutputFormat(format),
          target: new FileTarget(folder, 'audio.m4a').target,
        })
        audioFile.addAudioTrack(own, metadata)
        targets.push(own)
        audioCodec = codec
      }
      audio.push(new AudioCopy(one, targets, parts, plan?.shift ?? 0))
    }
    if (marks) output.setMetadataTags({ raw: { ...marks.inputs.keys, ...(marks.aigc && { AIGC: marks.aigc }) } })
    await output.start()
    await audioFile?.start()
    return new MediaOutput(file, output, audioFile, video, audio, audioCodec, places, marks, addTexts)
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
    this.places.expect(this.#segments, written)
    this.#segments += 1
    for (const [index, { packet }] of written.entries()) {
      for (const copy of this.audio) await copy.advance(packet.timestamp + audioLead)
      await this.video.add(packet, first && index === 0 ? { decoderConfig: config } : undefined)
    }
    await this.file.flush()
    return this.places.take()
  }

  async finish(): Promise<FinishedOutput> {
    for (const copy of this.audio) await copy.advance(Infinity)
    this.video.close()
    await this.output.finalize()
    await this.audioFile?.finalize()
    await this.addTexts()
    if (this.marks) await this.file.append(box('uuid', xmpBoxId, new TextEncoder().encode(xmpOf(this.marks))))
    return { sizeBytes: this.file.size, videoCodec: 'avc' }
  }

  async cancel(): Promise<void> {
    for (const copy of this.audio) await copy.stop()
    await Promise.allSettled([this.output.cancel(), this.audioFile?.cancel()])
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

/**
 * Puts texts and what tracks are for into what an index leaves free, so that the file's other bytes stay where they are.
 * @param data the index, and the head of the free box behind it
 * @param at its offset in the file
 */
function indexWithTexts(
  data: Uint8Array,
  at: number,
  tracks: readonly TextTrack[],
  roles: ReadonlyMap<number, Roles>,
): Uint8Array<ArrayBuffer> {
  const length = numberAt(data, 0)
  const made = withTexts(data.subarray(0, length), at, tracks, roles)
  const left = length + numberAt(data, length) - made.length
  if (left < 8) throw new MienError('engine-failed', { reason: 'no room for texts' })
  return joined(made, box('free', new Uint8Array(left - 8)))
}
