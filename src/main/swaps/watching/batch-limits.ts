/** @file Learned max number of ids per request, by service. */
import { scaledLimits, type BatchLimits } from '../../remote/client/parsing/batch.ts'
import type { Services } from '../../remote/profiles/services.ts'

/** After this time without a refusal, try larger requests again. */
const growAfterMs = 3_600_000

export function batchLimits(services: Services, profileId: string, now: number): BatchLimits {
  const { max, learned } = services.batchLimit(profileId)
  if (learned === null) return scaledLimits(max)
  if (now - learned.at < growAfterMs) return scaledLimits(Math.min(max, learned.maxIds))
  const more = Math.min(max, learned.maxIds * 2)
  services.rememberBatchLimit(profileId, more === max ? null : { maxIds: more, at: now })
  return scaledLimits(more)
}

/** Records that a service accepted `maxIds` ids but refused a larger request. */
export function learnBatchLimit(services: Services, profileId: string, maxIds: number, at: number): void {
  const { max, learned } = services.batchLimit(profileId)
  services.rememberBatchLimit(profileId, { maxIds: Math.min(max, maxIds, learned?.maxIds ?? Infinity), at })
}
