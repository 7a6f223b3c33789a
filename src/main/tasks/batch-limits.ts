/** @file How many ids a service takes in one request, as far as it was learned. */
import { defaultLimits, scaledLimits, type BatchLimits } from '../service-client/batch.ts'
import type { LearnedLimit, Services } from './ports.ts'

/** After this time without a refusal, more ids in a request are tried again. */
const growAfterMs = 3_600_000

export function batchLimits(services: Services, profileId: string, now: number): BatchLimits {
  const { most, learned } = services.batchLimit?.(profileId) ?? { most: defaultLimits.maxIds, learned: null }
  if (learned === null) return scaledLimits(most)
  if (now - learned.at < growAfterMs) return scaledLimits(Math.min(most, learned.maxIds))
  const more = Math.min(most, learned.maxIds * 2)
  services.rememberBatchLimit?.(profileId, more === most ? null : { maxIds: more, at: now })
  return scaledLimits(more)
}

/** A service took `maxIds` ids, and not twice as many. */
export function learnBatchLimit(services: Services, profileId: string, { maxIds, at }: LearnedLimit): void {
  const { most, learned } = services.batchLimit?.(profileId) ?? { most: Infinity, learned: null }
  services.rememberBatchLimit?.(profileId, { maxIds: Math.min(most, maxIds, learned?.maxIds ?? Infinity), at })
}
