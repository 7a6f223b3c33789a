/** @file Interfaces that the tasks layer needs from the rest of the app. */
import type { ErrorCode } from '@shared/mien-error.ts'
import type { Clip } from '@shared/people/people.ts'
import type { Task } from '@shared/tasks/task.ts'
import type { ServiceClient, TransferOptions } from '../../service-client/service-client.ts'

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

/** Upload targets for services that only accept URLs. */
export interface Uploads {
  /** Whether a profile has an upload target. */
  has(profileId: string): boolean
  /** Uploads a file, or resumes an interrupted upload; returns its URL. */
  upload(
    task: Pick<Task, 'id' | 'profileId'>,
    file: { mediaId: string; path: string; name: string },
    options: TransferOptions,
  ): Promise<string>
  /** A fresh URL of an uploaded file, because signed URLs expire; null: not uploaded there. */
  address(task: Pick<Task, 'id' | 'profileId'>, mediaId: string): Promise<string | null>
  /** The service no longer needs a swap's files. */
  ended(taskId: string): Promise<void>
  /** Removes the uploads of swaps that ended while Mien was closed. */
  sweep(isActive: (taskId: string) => boolean): Promise<void>
}

/** A person of a video whom a swap replaces. */
export interface CastPerson {
  id: string
  name: string | null
  /** Media id of their face in the video. */
  faceId: string
  clips: Clip[]
}

/** The people of videos. */
export interface People {
  /**
   * People in the given order, and the clips of everybody else.
   * @throws MienError `people-unfinished`, `person-unknown`, `file-changed`
   */
  cast(videoId: string, personIds: readonly string[]): { people: CastPerson[]; stay: Clip[] }
}
