/** @file Backoff after failures and polling intervals. Pure. */
import type { ErrorCode } from '@shared/errors.ts'

/**
 * Exponential backoff with full jitter, from 1 s, at most 5 minutes
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 * `random` in 0–1; `retryAfterMs` is the service's Retry-After. The wait is never shorter than that, and still grows
 * with each repetition.
 */
export function backoffMs(attempt: number, random: number, retryAfterMs: number | null = null): number {
  const ceiling = Math.min(300_000, 1000 * 2 ** Math.min(attempt, 10))
  if (retryAfterMs === null) return Math.round(Math.max(250, ceiling * random))
  // Only half of the wait has jitter, so that it still grows. The first wait is exactly Retry-After.
  return attempt <= 1 ? retryAfterMs : Math.max(retryAfterMs, Math.round((ceiling * (1 + random)) / 4))
}

/** How long to keep looking for a missing swap. */
export const lookForMs = 24 * 3_600_000

/** How long to wait before a swap that the full disk of this computer stopped is tried again. */
export const retryFullDiskMs = 30_000

/** Transient errors that are retried automatically; the swap itself is not at fault. */
export const retryableErrors: readonly ErrorCode[] = [
  'rate-limited',
  'quota-reached',
  'service-trouble',
  'service-unreachable',
  'service-certificate',
  'proxy-password',
  'service-timeout',
  'address-silent',
]

/** True if the service is unreachable; its swaps wait for the network. */
export const isNoConnection = (code: ErrorCode): boolean =>
  code === 'service-unreachable' || code === 'service-certificate'

export interface Pace {
  /** True while the page of one of these swaps is open. */
  looking: boolean
  windowVisible: boolean
  /** True for the embedded service on this computer, which reports progress itself. */
  local: boolean
  /** Age of the youngest watched swap. */
  youngestMs: number
}

/** Polling interval of a service: short at first, longer later, shorter while the user is looking. */
export function paceMs(pace: Pace): number {
  // Show the first still as soon as it exists.
  if (pace.local) return pace.youngestMs < 4000 ? 100 : pace.looking ? 250 : 500
  const byAge = pace.youngestMs < 60_000 ? 2000 : pace.youngestMs < 600_000 ? 5000 : 15_000
  if (pace.looking) return Math.min(byAge, 2000)
  return pace.windowVisible ? byAge : byAge * 2
}
