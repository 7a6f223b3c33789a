/**
 * @file What the HTTP routes need from a service (cluster/). Keys of the service in the app are in memory (embedded/).
 */
import type { Clip } from '@shared/people/people.ts'
import type { Job } from './jobs/job.ts'
import type { Live } from './jobs/task-item.ts'

/** Clips of the people in a job's video. */
export interface JobClips {
  /** Of each face of the job's cast. */
  cast: Clip[][]
  /** Of people who keep their face. */
  stay: Clip[]
}

/** A job as clients see it. */
export interface ShownJob {
  job: Job
  /** Number of the job at this service, from 1. */
  seq: number
  live: Live | null
}

/** The job that a create request made. */
export interface Made {
  objectId: string
  /** Of the request's content. */
  requestHash: string
}

export interface Swaps {
  /** Jobs of one user, in this order; unknown ones and those of others are left out. */
  find(userId: string, objectIds: readonly string[]): Promise<ShownJob[]>
  /** The job that this user's idempotency key created; null when there is none. */
  made(userId: string, idempotencyKey: string): Promise<Made | null>
  /**
   * Adds a job to the queue.
   * @param clips only of a job with a cast
   * @returns the earlier job if one was made with this idempotency key meanwhile
   */
  add(job: Job, idempotencyKey: string | null, requestHash: string, clips: JobClips | null): Promise<Made>
  /** Cancels a queued or running job; others stay unchanged. It can be resumed for some minutes. */
  cancel(job: Job): Promise<Job>
  /** Pauses a queued or running job; partial work stays. */
  pause(job: Job): Promise<Job>
  /** Resumes a paused or cancelled job, or a failed one with partial work. */
  resume(job: Job): Promise<Job>
  /** Puts jobs of one user in this order; those that have ended stay unchanged. */
  reorder(jobs: readonly Job[]): Promise<void>
  /**
   * Removes the job's files, and its uploads if no other job uses them.
   * @param actor id of the key, for the audit log
   */
  delete(job: Job, actor: string): Promise<void>
}

/** An uploaded file. */
export interface Asset {
  id: string
  userId: string
  name: string
  size: number
}

/** A file to serve. Its content never changes. */
export interface StoredFile {
  size: number
  /** With its quotes. */
  etag: string
  /** @param end inclusive */
  open(start: number, end: number): Promise<ReadableStream>
}

export interface Files {
  /** @param expected length if known; any other length is refused */
  put(userId: string, name: string, chunks: AsyncIterable<Uint8Array>, expected: number | null): Promise<Asset>
  /** Null: unknown, or of another user. */
  asset(userId: string, id: string): Promise<Asset | null>
  openAsset(id: string): Promise<StoredFile | null>
  /** @param name in `/v1/results/<objectId>/`. Null: there is none, or it is of another user. */
  openResult(userId: string, objectId: string, name: string): Promise<StoredFile | null>
}

export interface StoredKey {
  id: string
  /** Decimal digits of an unsigned 64-bit integer. */
  userId: string
  mask: string
  lastFour: string
  /** Epoch ms. */
  createdAt: number
}

export interface FoundKey extends StoredKey {
  /** When it was looked up, epoch ms, by the clock that all servers share. */
  foundAt: number
}

export interface Keys {
  /** `sk` is the full key, available only this once. */
  create(userId: string): Promise<StoredKey & { sk: string }>
  list(userId: string): Promise<StoredKey[]>
  /** Null: unknown or revoked. */
  find(sk: string): Promise<FoundKey | null>
  /** Returns false if there is no such key. */
  revoke(which: { id: string } | { sk: string }): Promise<boolean>
  /**
   * Whether this token may manage keys.
   * @param address of the client, for the audit log
   */
  isAdmin(token: string, address: string): Promise<boolean>
}

export interface Backend {
  readonly swaps: Swaps
  readonly files: Files
  readonly keys: Keys
}
