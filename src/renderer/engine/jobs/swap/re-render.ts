/** @file Replaces a part of a finished swap: the part is swapped as by itself, and joined into the result. */
import { EncodedPacketSink, type EncodedPacket } from 'mediabunny'
import type { ReRenderResult, SwapResult } from '@shared/engine/engine.ts'
import { MienError } from '@shared/mien-error.ts'
import { decodeFrames, decodeParts } from '../../media/demux/decode-frames.ts'
import { VideoLabel } from '../../media/label/label-drawing.ts'
import { openMedia, planOf, type MediaInput } from '../../media/demux/media-input.ts'
import { hasParameterSets, sameBytes } from '../../media/encode/avc-config.ts'
import { encodeAgain } from '../../media/encode/encode-again.ts'
import { encodingOf, type Encoding } from '../../media/encode/even-frame.ts'
import { MediaOutput } from '../../media/encode/media-output.ts'
import { marksOfPictures, joinMarks, marksOfResult } from '../../media/marks/marks.ts'
import type { EncodedSegment } from '../../media/encode/segment-encoder.ts'
import { isSame, planJoin, sourceRange, type JoinPlan, type TimedPacket } from '../../media/range/join-plan.ts'
import type { SwapPlan, Timed } from '../../media/range/swap-plan.ts'
import { type JobContext, type RequestOf, Progress } from '../job-context.ts'
import { swap } from './swap.ts'

/** Packets in memory at once while they are copied. */
const batchBytes = 4e6

/**
 * @throws MienError the codes of `swap`, and `part-unsupported` if the result can't be joined with what this computer
 *   encodes. Its `reason` is `codec`, `encoder` (other parameters) or `frames` (not those of the video).
 */
export async function reRender(request: RequestOf<'re-render'>, context: JobContext): Promise<ReRenderResult> {
  const { signal } = context
  const source = await openMedia(request.video, signal, request.range)
  try {
    const old = await openMedia(request.result, signal)
    try {
      return await new Joining(request, context, source, old).run()
    } finally {
      old.close()
    }
  } finally {
    source.close()
  }
}

class Joining {
  constructor(
    private readonly request: RequestOf<'re-render'>,
    private readonly context: JobContext,
    private readonly source: MediaInput,
    private readonly old: MediaInput,
  ) {}

  /** That of the swap which made the result. */
  get #encoding(): Encoding {
    return { ...encodingOf(this.source.facts, this.request.options), tags: this.old.facts.tags }
  }

  /** Of the result, in seconds. */
  get #start(): number {
    return this.old.facts.firstTimestamp
  }

  async run(): Promise<ReRenderResult> {
    const { part, cast } = this.request
    const plan = planJoin(await packetsOf(this.old), part)
    const { facts, plan: swapped } = this.source
    const range = sourceRange(plan.part, swapped, facts.firstTimestamp, this.#start)
    if (range.parts.length === 0) throw new MienError('part-unsupported', { reason: 'frames' })
    const frames = await planOf(range, this.source)
    if (!isSame(plan.part, frames, await packetsOf(this.source)))
      throw new MienError('part-unsupported', { reason: 'frames' })
    const config = await this.#config(plan.part)
    const made: Pick<SwapResult, 'quality' | 'weak'> = {
      quality: [{ kind: 'outside', frames: plan.part.length }],
      weak: [],
    }
    if (cast.length > 0) {
      const { kind: _, part: _part, result: _result, range: reach, ...request } = this.request
      const swapped = await swap({ ...request, kind: 'swap', range, proofOf: null, aigc: null }, this.context, {
        reach,
        tags: this.old.facts.tags,
        // The part begins at 0.
        resultStart: this.#start - (plan.part[0]?.timestamp ?? 0),
      })
      const shift = (ms: number): number => ms + plan.firstMs
      made.quality = swapped.quality
      made.weak = swapped.weak.map((one) => ({ ...one, fromMs: shift(one.fromMs), toMs: shift(one.toMs) }))
    }
    const sizeBytes = await this.#join(plan, frames, config)
    await Promise.all([this.old.unchanged(), this.source.unchanged()])
    return { ...made, sizeBytes, firstFrame: plan.firstFrame }
  }

  /** The result's decoder configuration, if the encoder makes the same one: a track has one for all its packets. */
  async #config(part: readonly Timed[]): Promise<VideoDecoderConfig> {
    const { video } = this.old
    const config = await video.getDecoderConfig()
    if (!config || (await video.getCodec()) !== 'avc') throw new MienError('part-unsupported', { reason: 'codec' })
    for await (const segment of this.#again(part.slice(0, 1))) refuseOther(segment, config)
    return config
  }

  /** Frames of the result, encoded again. They have their label. */
  #again(times: readonly Timed[]): AsyncGenerator<EncodedSegment, void> {
    const { video, facts } = this.old
    const { encoder } = this.request
    const [first] = times
    const frames = decodeFrames(video, first?.timestamp ?? null)
    return encodeAgain({ frames, facts, times, encoder, encoding: this.#encoding, label: null })
  }

  async #join(plan: JoinPlan, frames: SwapPlan, config: VideoDecoderConfig): Promise<number> {
    const { id, folder } = this.request
    const { signal, emit } = this.context
    const { video } = this.old
    const progress = new Progress((state) => {
      emit({ type: 'progress', id, progress: state })
    })
    const sink = new EncodedPacketSink(video)
    const { cast, method } = this.request
    const inputs = await Promise.all([
      this.source.marks(),
      this.old.marks(),
      marksOfPictures(
        cast.flatMap(({ pictures }) => pictures),
        signal,
      ),
    ])
    const marks = marksOfResult(method !== null, null, joinMarks(inputs))
    const output = await MediaOutput.open(folder, this.old, null, 'joined.mp4', marks)
    const add = async (segments: AsyncIterable<EncodedSegment>): Promise<void> => {
      for await (const segment of segments) {
        signal.throwIfAborted()
        refuseOther(segment, config)
        await output.add({ ...segment, config })
        progress.update({ stage: 'finishing' })
      }
    }
    try {
      await add(batches(take(sink.packets(), plan.before), config))
      await add(this.#again(plan.head))
      await add(this.request.cast.length > 0 ? this.#swapped(plan.part, config) : this.#left(plan.part, frames))
      await add(this.#again(plan.tail))
      const next = plan.nextKey === null ? null : await sink.getKeyPacket(plan.nextKey)
      if (next) await add(batches(sink.packets(next), config))
      return (await output.finish()).sizeBytes
    } catch (error) {
      await output.cancel()
      throw error
    }
  }

  /** The packets of the part's swap, with the times of the result. */
  async *#swapped(part: readonly Timed[], config: VideoDecoderConfig): AsyncGenerator<EncodedSegment, void> {
    const media = await openMedia(`${this.request.folder}/output.mp4`, this.context.signal)
    try {
      const own = await media.video.getDecoderConfig()
      const shown = (await packetsOf(media)).map(({ timestamp }) => timestamp).sort((a, b) => a - b)
      const places = new Map(shown.map((timestamp, index) => [timestamp, part[index]]))
      const packets = new EncodedPacketSink(media.video).packets()
      for await (const batch of batches(packets, own ?? config))
        yield { ...batch, packets: batch.packets.map((packet) => packet.clone({ ...places.get(packet.timestamp) })) }
    } finally {
      media.close()
    }
  }

  /** The source's frames. */
  #left(times: readonly Timed[], plan: SwapPlan): AsyncGenerator<EncodedSegment, void> {
    const { video, facts } = this.source
    const frames = decodeParts(video, plan, null)
    const { encoder, options } = this.request
    const encoding = this.#encoding
    const label = VideoLabel.of(options, facts, encoding, this.#start)
    return encodeAgain({ frames, facts, times, encoder, encoding, label })
  }
}

function refuseOther({ packets, config }: EncodedSegment, wanted: VideoDecoderConfig): void {
  const isOther = (packet: EncodedPacket): boolean =>
    packet.type === 'key' && hasParameterSets(packet.data, wanted.description)
  if (!sameBytes(config.description, wanted.description) || packets.some(isOther))
    throw new MienError('part-unsupported', { reason: 'encoder' })
}

/** In decoding order. */
async function packetsOf({ video }: MediaInput): Promise<TimedPacket[]> {
  const packets: TimedPacket[] = []
  for await (const { timestamp, duration, type } of new EncodedPacketSink(video).packets(undefined, undefined, {
    metadataOnly: true,
  }))
    packets.push({ timestamp, duration, isKey: type === 'key' })
  return packets
}

async function* take<T>(items: AsyncGenerator<T, void>, count: number): AsyncGenerator<T, void> {
  for (let left = count; left > 0; left -= 1) {
    const { value } = await items.next()
    if (value === undefined) break
    yield value
  }
  await items.return()
}

async function* batches(
  packets: AsyncIterable<EncodedPacket>,
  config: VideoDecoderConfig,
): AsyncGenerator<EncodedSegment, void> {
  let batch: EncodedPacket[] = []
  let bytes = 0
  for await (const packet of packets) {
    batch.push(packet)
    bytes += packet.byteLength
    if (bytes < batchBytes) continue
    yield { packets: batch, config }
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield { packets: batch, config }
}
