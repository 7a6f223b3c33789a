/** @file The services as swaps see them. */
import type { ErrorCode } from '@shared/mien-error.ts'
import type { ServiceClient } from '../client/service-client.ts'

/** Max ids per request that a service accepted, and when that was learned (epoch ms). */
export interface LearnedLimit {
  maxIds: number
  at: number
}

export type KeyProblem = 'key-refused' | 'key-missing'

export const isKeyProblem = (code: ErrorCode): code is KeyProblem => code === 'key-refused' || code === 'key-missing'

/** The services by profile id. Optional members default to a service without special knowledge. */
export interface Services {
  /** @throws MienError `not-found` when the profile is gone */
  client(profileId: string): ServiceClient
  /** Max swaps at the service at the same time; the rest wait in the outbox. */
  inFlightLimit(profileId: string): number
  /** The service refused the key, or there is none: pauses everything of this profile until a new key is set. */
  keyRefused(profileId: string, code: KeyProblem): void
  /** The service has another certificate than the pinned one: pauses everything of this profile. */
  certificateChanged?(profileId: string): void
  /** True for services on this machine or LAN (reachable offline). */
  isLocal?(profileId: string): boolean
  /** Whether the user paused its queue. */
  isPaused?(profileId: string): boolean
  /** Max ids per request: the profile's setting, and the learned limit. */
  batchLimit?(profileId: string): { max: number; learned: LearnedLimit | null }
  rememberBatchLimit?(profileId: string, learned: LearnedLimit | null): void
}
