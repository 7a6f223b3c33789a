/** @file What the life of a swap needs from the rest of the app, as interfaces. */
import type { Task } from '@shared/task.ts'
import type { ServiceClient } from '../../service-client/service-client.ts'
import type { TransferOptions } from '../../service-client/types.ts'

/** Most ids in one request that a service took, and when that was learned (epoch ms). */
export interface LearnedLimit {
  maxIds: number
  at: number
}

/** The services that swaps run on, by profile id. What is left out is as for a service of which nothing special is known. */
export interface Services {
  /** @throws MienError `not-found` when the profile is gone */
  client(profileId: string): ServiceClient
  /** How many swaps may be with the service at once; the rest wait in the outbox. */
  inFlightLimit(profileId: string): number
  /** The service said no to the key: everything of this profile is held until a new one is set. */
  keyRefused(profileId: string): void
  /** True for a service that is reachable without the network. */
  isLocal?(profileId: string): boolean
  /** Whether the user holds its queue. */
  isPaused?(profileId: string): boolean
  /** Most ids in one request, as set for the profile and as learned. */
  batchLimit?(profileId: string): { max: number; learned: LearnedLimit | null }
  rememberBatchLimit?(profileId: string, learned: LearnedLimit | null): void
}

export type SystemEvent = 'online' | 'offline' | 'suspend' | 'resume'

/** The computer around Mien: its network, and whether it sleeps. */
export interface SystemStatus {
  isOnline(): boolean
  /** Returns what ends the listening. */
  onChange(listener: (event: SystemEvent) => void): () => void
}

export const alwaysOnline: SystemStatus = { isOnline: () => true, onChange: () => () => undefined }

/** Where a media id's file is; null when it is not listed. */
export type MediaPaths = (id: string) => string | null

/** Where files go for services that take addresses only. */
export interface Uploads {
  /** Whether a profile has an upload target. */
  has(profileId: string): boolean
  /** Puts a file there, or the rest of it after an interruption; returns its address. */
  upload(
    task: Pick<Task, 'id' | 'profileId'>,
    file: { mediaId: string; path: string; name: string },
    options: TransferOptions,
  ): Promise<string>
  /** A file's address anew, since one that is signed ends; null: it was not put there. */
  address(task: Pick<Task, 'id' | 'profileId'>, mediaId: string): Promise<string | null>
  /** The service is done with a swap's files. */
  ended(taskId: string): Promise<void>
  /** Clears up after swaps that ended while Mien was closed. */
  sweep(isActive: (taskId: string) => boolean): Promise<void>
}

export type Log = (message: string, error?: unknown) => void
