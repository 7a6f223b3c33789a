/**
 * @file Saves finished segments of a swap. `segment-N.bin` holds the concatenated packets, or their offsets once they
 * are in `output.mp4`. `segment-N.json` is the checkpoint: its own SHA-256, a line break, then the data needed to mux
 * the packets and to resume after them. Each checkpoint contains the digests of its packets and of the previous
 * checkpoint; the first contains the job's. Damage or files of another run break this chain, and the swap resumes from
 * there.
 */
import { EncodedPacket } from 'mediabunny'
import { z } from 'zod'
import { qualityRunSchema, ranOnSchema } from '@shared/engine/engine.ts'
import { bytesOf } from '../../media/encode/avc-config.ts'
import { fromBase64, sha256, toBase64 } from '../../media/versioned-file.ts'
import { readFile, writeFile } from '../../media/job-files.ts'
import type { Place, PlacedSegment } from '../../media/encode/packet-places.ts'
import type { EncodedSegment } from '../../media/encode/segment-encoder.ts'
import { weakStateSchema } from '../frames/frame-quality.ts'

/** Increment when the engine's output changes, so that no swap mixes frames of two versions. */
export const engineVersion = 37

const region = z.object({ x: z.number(), y: z.number(), size: z.number(), angle: z.number() })
const points = z.string().transform((text) => new Float32Array(fromBase64(text).buffer))
const bytes = z.string().transform((text): Uint8Array => fromBase64(text))
const affine = z.object({ a: z.number(), b: z.number(), c: z.number(), d: z.number(), e: z.number(), f: z.number() })

const followSchema = z.object({
  index: z.int(),
  stride: z.int().min(1),
  shot: z.int(),
  looks: z.array(z.int()),
  settled: z.int(),
  tracks: z.array(
    z.object({ index: z.int(), track: z.object({ points: points.nullable(), shot: z.int(), cut: z.boolean() }) }),
  ),
  tracker: z.object({
    region: region.nullable(),
    seenAt: z.int().nullable(),
    searches: z.int(),
    lost: z.int(),
    ahead: z.object({ index: z.int(), region }).nullable(),
    known: z.object({ pattern: points, looks: z.int() }).nullable(),
  }),
  front: z
    .object({
      map: z.object({
        ...{ index: z.int(), shot: z.int(), anchors: points },
        ...{ toMap: affine, share: bytes.nullable(), covered: z.number(), hasGlasses: z.boolean() },
      }),
      pattern: points,
      covered: bytes,
      rest: z.enum(['moving', 'covered', 'clear']),
      spots: z.int(),
    })
    .nullable(),
})

const colorSpaceSchema = z.object({
  primaries: z.string().nullish(),
  transfer: z.string().nullish(),
  matrix: z.string().nullish(),
  fullRange: z.boolean().nullish(),
})

const checkpointSchema = z.object({
  /** Digest of the previous checkpoint, or of the job for the first. */
  after: z.string(),
  /** SHA-256 of the packets' file. */
  sha256: z.string(),
  frames: z.int(),
  /** Size in bytes, timestamp and duration in seconds, whether it is a key frame. */
  packets: z.array(z.tuple([z.int().min(1), z.number(), z.number().min(0), z.boolean()])),
  config: z.object({
    codec: z.string(),
    codedWidth: z.int(),
    codedHeight: z.int(),
    displayAspectWidth: z.int().optional(),
    displayAspectHeight: z.int().optional(),
    colorSpace: colorSpaceSchema.optional(),
    description: z.base64(),
  }),
  /** Runs of this segment's frames only. */
  quality: z.array(qualityRunSchema),
  /** Versions without this field found no weak parts. */
  weak: weakStateSchema.default({ done: [], open: [], gaps: [], seen: [] }),
  /** See `CoverState`. */
  cover: z.object({ there: z.boolean(), good: z.boolean(), faces: z.int() }),
  savedMs: z.int(),
  /** How the models ran on all frames so far; null for the built-in method. */
  ranOn: ranOnSchema.nullable().default(null),
  /**
   * The first frame of the next segment, the state to resume following each face from, and the time in seconds of the
   * first frame needed; null at the end of the video.
   */
  next: z.object({ index: z.int(), faces: z.array(followSchema), decodeFrom: z.number() }).nullable(),
})

/** A checkpoint without the fields that describe its packets. */
export type Checkpoint = Pick<
  z.infer<typeof checkpointSchema>,
  'frames' | 'quality' | 'weak' | 'cover' | 'savedMs' | 'next' | 'ranOn'
>

const fileName = (index: number, kind: 'bin' | 'json'): string => `segment-${String(index).padStart(4, '0')}.${kind}`

/** Encodes typed arrays as base64, as the schema expects. */
const replacePoints = (_key: string, value: unknown): unknown =>
  value instanceof Float32Array || value instanceof Uint8Array
    ? toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
    : value

const output = 'output.mp4'
const placesSchema = z.object({ [output]: z.array(z.tuple([z.int().min(0), z.int().min(1)])).min(1) })

/** Parses JSON with a schema; null if either fails. */
function parseAs<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** The segments of one job, in order. */
export class SegmentStore {
  #after: string
  /** Packet digests of the segments read or written so far, by segment. */
  readonly #digests: string[] = []

  /** @param job digest of all inputs of the swap */
  constructor(
    private readonly folder: string,
    job: string,
  ) {
    this.#after = job
  }

  /** The next intact segment of an earlier run; null after the last one or at the first invalid one. */
  async next(): Promise<{ checkpoint: Checkpoint; segment: EncodedSegment } | null> {
    const index = this.#digests.length
    const json = await readFile(this.folder, fileName(index, 'json'))
    const text = new TextDecoder().decode(json ?? undefined)
    const body = text.slice(65)
    if (text[64] !== '\n' || text.slice(0, 64) !== (await sha256(body))) return null
    const parsed = parseAs(checkpointSchema, body)
    if (!parsed || parsed.after !== this.#after) return null
    const { packets: table, config, ...checkpoint } = parsed
    const data = await this.#packets(index, checkpoint.sha256)
    if (!data || table.reduce((sum, [size]) => sum + size, 0) !== data.length) return null
    let at = 0
    const packets = table.map(([size, timestamp, duration, isKey]) => {
      at += size
      return new EncodedPacket(data.subarray(at - size, at), isKey ? 'key' : 'delta', timestamp, duration)
    })
    this.#after = text.slice(0, 64)
    this.#digests.push(checkpoint.sha256)
    // The schema has plain strings here; they were written from a valid colour space.
    const decoder = { ...config, description: fromBase64(config.description) } as VideoDecoderConfig
    return { checkpoint, segment: { packets, config: decoder } }
  }

  async #packets(index: number, digest: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const own = await readFile(this.folder, fileName(index, 'bin'))
    if (!own || (await sha256(own)) === digest) return own
    const places = parseAs(placesSchema, new TextDecoder().decode(own))
    const data = places && (await this.#inOutput(places[output]))
    return data && (await sha256(data)) === digest ? data : null
  }

  async #inOutput(places: Place[]): Promise<Uint8Array<ArrayBuffer> | null> {
    const parts = await Promise.all(places.map(([at, length]) => readFile(this.folder, output, { at, length })))
    const whole = parts.filter((part) => part !== null)
    return whole.length < parts.length ? null : new Uint8Array(await new Blob(whole).arrayBuffer())
  }

  /** Replaces `segment-N.bin` with offsets if its packets can be read from the output. @throws MienError `disk-full` */
  async giveUp({ segment, places }: PlacedSegment): Promise<void> {
    const data = await this.#inOutput(places)
    if (!data || (await sha256(data)) !== this.#digests[segment]) return
    await writeFile(this.folder, fileName(segment, 'bin'), new Blob([JSON.stringify({ [output]: places })]))
  }

  /** Writes the packets, then the checkpoint; each write is atomic. @throws MienError `disk-full` */
  async save({ packets, config }: EncodedSegment, checkpoint: Checkpoint): Promise<void> {
    const index = this.#digests.length
    const data = new Uint8Array(await new Blob(packets.map((packet) => new Uint8Array(packet.data))).arrayBuffer())
    const sum = await sha256(data)
    const description = toBase64(bytesOf(config.description))
    const { codec, codedWidth, codedHeight, displayAspectWidth, displayAspectHeight, colorSpace } = config
    const body = JSON.stringify(
      {
        ...checkpoint,
        after: this.#after,
        sha256: sum,
        packets: packets.map((packet) => [
          packet.data.byteLength,
          packet.timestamp,
          packet.duration,
          packet.type === 'key',
        ]),
        config: { codec, codedWidth, codedHeight, displayAspectWidth, displayAspectHeight, colorSpace, description },
      },
      replacePoints,
    )
    const digest = await sha256(body)
    await writeFile(this.folder, fileName(index, 'bin'), new Blob([data]))
    await writeFile(this.folder, fileName(index, 'json'), new Blob([`${digest}\n${body}`]))
    this.#after = digest
    this.#digests.push(sum)
  }
}
