/** @file What the engine of known time makes of a video. */
import { createHash } from 'node:crypto'

export const segments = 2
const segmentBytes = 2048

export function segmentOf(video: Buffer, number: number): Buffer {
  const hash = createHash('sha256').update(video).update(String(number)).digest()
  return Buffer.concat(Array.from({ length: segmentBytes / hash.length }, () => hash))
}

/** The result of a video. */
export const resultOf = (video: Buffer): Buffer =>
  Buffer.concat(Array.from({ length: segments }, (_, number) => segmentOf(video, number)))
