/**
 * @file Reads the segments that the engine saved (engine/jobs/segments/segments.ts). On disk, a segment may refer to
 * its packets in `output.mp4`. In the storage it contains them, because an unfinished `output.mp4` isn't stored.
 */
import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'

const output = 'output.mp4'

/** The part of a checkpoint that a worker needs. */
const checkpointSchema = z.object({ sha256: z.string(), frames: z.int(), savedMs: z.int() })
/** Byte offset and length. */
const placesSchema = z.object({ [output]: z.array(z.tuple([z.int().min(0), z.int().min(1)])).min(1) })

export interface Segment extends z.infer<typeof checkpointSchema> {
  /** The checkpoint's digest, which covers all earlier checkpoints too. */
  digest: string
  /** The checkpoint's file. */
  text: string
}

export const segmentName = (index: number, kind: 'bin' | 'json'): string =>
  `segment-${String(index).padStart(4, '0')}.${kind}`

/** Null: missing or damaged. @param work the engine's folder */
export async function readSegment(work: string, index: number): Promise<Segment | null> {
  try {
    const text = await readFile(join(work, segmentName(index, 'json')), 'utf8')
    const digest = text.slice(0, 64)
    if (text[64] !== '\n' || hash('sha256', text.slice(65)) !== digest) return null
    return { ...checkpointSchema.parse(JSON.parse(text.slice(65))), digest, text }
  } catch {
    return null
  }
}

/** The packets of a segment; null: damaged. */
export async function readPackets(work: string, index: number, { sha256: digest }: Segment): Promise<Buffer | null> {
  try {
    const own = await readFile(join(work, segmentName(index, 'bin')))
    if (hash('sha256', own) === digest) return own
    const placed = await readPlaces(join(work, output), placesSchema.parse(JSON.parse(own.toString()))[output])
    return hash('sha256', placed) === digest ? placed : null
  } catch {
    return null
  }
}

async function readPlaces(path: string, places: readonly (readonly [at: number, length: number])[]): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const [start, length] of places)
    parts.push(await buffer(createReadStream(path, { start, end: start + length - 1 })))
  return Buffer.concat(parts)
}
