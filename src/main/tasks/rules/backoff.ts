/** @file How long to wait: after a failure, and between looks at a service. Pure. */
import type { ErrorCode } from '@shared/errors.ts'

/**
 * Exponential backoff with full jitter, from 1 s, at most 5 minutes
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 * `random` in 0–1; `retryAfterMs` is the service's own wish: the wait is never shorter, and grows all the same when it is
 * repeated.
 */
export function backoffMs(attempt: number, random: number, retryAfterMs: number | null = null): number {
  const ceiling = Math.min(300_000, 1000 * 2 ** Math.min(attempt, 10))
  if (retryAfterMs === null) return Math.round(Math.max(250, ceiling * random))
  // Half of it without jitter, so that it does grow; the first wait is as the service said.
  return attempt <= 1 ? retryAfterMs : Math.max(retryAfterMs, Math.round((ceiling * (1 + random)) / 4))
}

/** How long a missing swap is looked for. */
export const lookForMs = 24 * 3_600_000

/** Errors after which trying again by itself makes sense: nothing is wrong with the swap. */
export const retryableErrors: readonly ErrorCode[] = [
  'rate-limited',
  'service-trouble',
  'service-unreachable',
  'service-certificate',
  'proxy-password',
  'service-timeout',
  'address-silent',
]

/** Whether a service can't be reached from here now: its swaps wait for a network. */
export const isNoConnection = (code: ErrorCode): boolean =>
  code === 'service-unreachable' || code === 'service-certificate'

export interface Pace {
  /** A page that shows one of these swaps is open. */
  looking: boolean
  windowVisible: boolean
  /** The service tells progress itself and is on this computer. */
  local: boolean
  /** Age of the youngest swap that is watched. */
  youngestMs: number
}

/** Time between two looks at a service: quick at first, slower later, faster while someone looks. */
export function paceMs(pace: Pace): number {
  // The first still is to be seen as soon as it is there.
  if (pace.local) return pace.youngestMs < 4000 ? 100 : pace.looking ? 250 : 500
  const byAge = pace.youngestMs < 60_000 ? 2000 : pace.youngestMs < 600_000 ? 5000 : 15_000
  if (pace.looking) return Math.min(byAge, 2000)
  return pace.windowVisible ? byAge : byAge * 2
}
