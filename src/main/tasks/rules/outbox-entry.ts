/** @file What is still to be sent for a swap. */
import { randomUUID } from 'node:crypto'

/** Where face and video are on the web; null: not uploaded yet. */
export interface Addresses {
  imageUrl: string | null
  videoUrl: string | null
}

/** `sentAt` (epoch ms) is on disk before the first byte of a create leaves, until its answer is stored. */
export interface OutboxEntry extends Addresses {
  taskId: string
  position: number
  idempotencyKey: string
  sentAt: number | null
  attempts: number
  notBefore: number
}

/** For a swap that is sent for the first time, or anew: with an idempotency key of its own. */
export function newEntry(taskId: string, position: number): OutboxEntry {
  return {
    taskId,
    position,
    idempotencyKey: randomUUID(),
    imageUrl: null,
    videoUrl: null,
    sentAt: null,
    attempts: 0,
    notBefore: 0,
  }
}
