/**
 * @file Finished stretches of a swap on disk. `segment-N.bin` holds the packets one after the other; `segment-N.json` is
 * the checkpoint: its own SHA-256, a line break, and what is needed to join the packets and to go on after them. Each
 * checkpoint names the digest of the one before it, and the first names the job's, so that a file that is damaged or
 * of another run breaks the chain and everything from there on is made again.
 */
import { EncodedPacket } from 'mediabunny'
import { z } from 'zod'
import { qualityRunSchema } from '@shared/engine.ts'
import { bytesOf } from '../media/avc-config.ts'
import { fromBase64, sha256, toBase64 } from '../media/digest.ts'
import { readFile, writeFile } from '../media/job-files.ts'
import type { EncodedSegment } from '../media/segment-encoder.ts'

/** Raised when what the engine makes changes, so that the halves of a swap always fit. */
export const engineVersion = 1

const region = z.object({ x: z.number(), y: z.number(), size: z.number(), angle: z.number() })
const points = z.string().transform((text) => new Float32Array(fromBase64(text).buffer))

const followSchema = z.object({
  index: z.int(),
  shot: z.int(),
  last: points.nullable(),
  tracks: z.array(z.object({ index: z.int(), track: z.object({ points: points.nullable(), shot: z.int() }) })),
  tracker: z.object({
    region: region.nullable(),
    seenAt: z.int().nullable(),
    searches: z.int(),
    lost: z.int(),
    ahead: z.object({ index: z.int(), region }).nullable(),
  }),
})

const colorSpaceSchema = z.object({
  primaries: z.string().nullish(),
  transfer: z.string().nullish(),
  matrix: z.string().nullish(),
  fullRange: z.boolean().nullish(),
})

const checkpointSchema = z.object({
  /** Digest of the checkpoint before; of the job, for the first. */
  after: z.string(),
  /** SHA-256 of the packets' file. */
  sha256: z.string(),
  frames: z.int(),
  /** Bytes, seconds, seconds, whether it is a key frame. */
  packets: z.array(z.tuple([z.int(), z.number(), z.number(), z.boolean()])),
  config: z.object({
    codec: z.string(),
    codedWidth: z.int(),
    codedHeight: z.int(),
    displayAspectWidth: z.int().optional(),
    displayAspectHeight: z.int().optional(),
    colorSpace: colorSpaceSchema.optional(),
    description: z.string(),
  }),
  /** Of all frames so far. */
  quality: z.array(qualityRunSchema),
  /** Whether there is a cover, whether it will do, and the faces on it. */
  cover: z.object({ there: z.boolean(), good: z.boolean(), faces: z.int() }),
  colorSpace: colorSpaceSchema,
  savedMs: z.int(),
  /** How to go on, and the time in seconds of the first frame needed for it; null when this is the video's end. */
  next: z.object({ follow: followSchema, decodeFrom: z.number() }).nullable(),
})

/** What a checkpoint says beside the packets. */
export type Checkpoint = Pick<
  z.infer<typeof checkpointSchema>,
  'frames' | 'quality' | 'cover' | 'colorSpace' | 'savedMs' | 'next'
>

const fileName = (index: number, kind: 'bin' | 'json'): string => `segment-${String(index).padStart(4, '0')}.${kind}`

/** Float32Arrays as the schema reads them back. */
const replacePoints = (_key: string, value: unknown): unknown =>
  value instanceof Float32Array ? toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) : value

/** The segments of one job, in order. */
export class SegmentStore {
  readonly #folder: string
  #after: string
  #count = 0

  /** @param job digest of all that the swap is made from */
  constructor(folder: string, job: string) {
    this.#folder = folder
    this.#after = job
  }

  /** How many segments there are, read or written. */
  get count(): number {
    return this.#count
  }

  /** The next segment that an earlier run left whole; null at the end of them, or at the first that is not to be trusted. */
  async next(): Promise<{ checkpoint: Checkpoint; segment: EncodedSegment } | null> {
    const json = await readFile(this.#folder, fileName(this.#count, 'json'))
    const text = json ? new TextDecoder().decode(json) : ''
    const body = text.slice(65)
    if (text[64] !== '\n' || text.slice(0, 64) !== (await sha256(body))) return null
    const parsed = checkpointSchema.safeParse(JSON.parse(body))
    if (!parsed.success || parsed.data.after !== this.#after) return null
    const { packets: table, config, ...checkpoint } = parsed.data
    const data = await readFile(this.#folder, fileName(this.#count, 'bin'))
    if (!data || (await sha256(data)) !== checkpoint.sha256) return null
    let at = 0
    const packets = table.map(([size, timestamp, duration, isKey]) => {
      at += size
      return new EncodedPacket(data.subarray(at - size, at), isKey ? 'key' : 'delta', timestamp, duration)
    })
    this.#after = text.slice(0, 64)
    this.#count += 1
    // The schema's plain words are the ones that a colour space was written with.
    const decoder = { ...config, description: fromBase64(config.description) } as VideoDecoderConfig
    return { checkpoint, segment: { packets, config: decoder } }
  }

  /** Writes the packets, then the checkpoint; either is there whole or not at all. @throws MienError `disk-full` */
  async save({ packets, config }: EncodedSegment, checkpoint: Checkpoint): Promise<void> {
    const data = new Uint8Array(await new Blob(packets.map((packet) => new Uint8Array(packet.data))).arrayBuffer())
    const description = toBase64(bytesOf(config.description))
    const { codec, codedWidth, codedHeight, displayAspectWidth, displayAspectHeight, colorSpace } = config
    const body = JSON.stringify(
      {
        ...checkpoint,
        after: this.#after,
        sha256: await sha256(data),
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
    await writeFile(this.#folder, fileName(this.#count, 'bin'), new Blob([data]))
    await writeFile(this.#folder, fileName(this.#count, 'json'), new Blob([`${digest}\n${body}`]))
    this.#after = digest
    this.#count += 1
  }
}
