/** @file What the life of a swap needs from the rest of the house, as interfaces. */
import type { ErrorBody } from '@shared/errors.ts'
import type { ServiceClient } from '../service-client/service-client.ts'

/** The services that swaps run on, by profile id. */
export interface Services {
  /** @throws MienError `not-found` when the profile is gone */
  client(profileId: string): ServiceClient
  /** How many swaps may be with the service at once; the rest wait in the outbox. */
  inFlightLimit(profileId: string): number
  /** The service said no to the key: everything of this profile is held until a new one is set. */
  keyRefused(profileId: string): void
}

/** Where a media id's file is; null when it is not listed. */
export type MediaPaths = (id: string) => string | null

export type Log = (message: string, error?: unknown) => void

export type { ErrorBody }
