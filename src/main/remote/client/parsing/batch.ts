/** @file Splits ids into batches of one request each. */
import type { MienError } from '@shared/errors.ts'
import { tooLong } from './answers.ts'

export interface BatchLimits {
  maxIds: number
  /** Max length of the URL-encoded ids joined by commas. */
  maxChars: number
}

export const defaultLimits: BatchLimits = { maxIds: 50, maxChars: 2000 }

/** Limits for another number of ids, with proportional length. */
export const scaledLimits = (maxIds: number): BatchLimits => ({
  maxIds,
  maxChars: Math.ceil((defaultLimits.maxChars * maxIds) / defaultLimits.maxIds),
})

const comma = '%2C'.length

/**
 * Splits ids, in order, into batches within the limits. An id longer than the limit gets its own batch. Duplicates are
 * dropped.
 */
export function batchIds(ids: readonly string[], limits: BatchLimits = defaultLimits): string[][] {
  const batches: string[][] = []
  let batch: string[] = []
  let chars = 0
  for (const id of new Set(ids)) {
    const length = encodeURIComponent(id).length + comma
    if (batch.length > 0 && (batch.length >= limits.maxIds || chars + length > limits.maxChars)) {
      batches.push(batch)
      batch = []
      chars = 0
    }
    batch.push(id)
    chars += length
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}

/** Limits to retry with after a refusal that may be due to size; null if not, or if it was a single id. */
export function smallerLimits(error: MienError, asked: number): BatchLimits | null {
  const status = error.details['status']
  const curable =
    error.code === 'too-large' ||
    error.details['reason'] === tooLong ||
    (error.code === 'request-refused' && [400, 413, 414, 431].includes(Number(status)))
  if (!curable || asked <= 1) return null
  return scaledLimits(Math.ceil(asked / 2))
}
