/** @file Outbox entry: what is still to be sent for a swap. */
import { randomUUID } from 'node:crypto'

/** URLs of a swap's files; null: not uploaded yet. */
export interface Addresses {
  imageUrl: string | null
  videoUrl: string | null
  /** URLs of the swap's other pictures (see `otherPictures`), in that order. */
  pictureUrls: readonly string[] | null
}

/** `sentAt` (epoch ms) is stored before the first byte of a create is sent, and cleared when its answer is stored. */
export interface OutboxEntry extends Addresses {
  taskId: string
  position: number
  idempotencyKey: string
  sentAt: number | null
  attempts: number
  notBefore: number
}

/** Creates the entry for sending a swap, with a new idempotency key. */
export function newEntry(taskId: string, position: number): OutboxEntry {
  return {
    taskId,
    position,
    idempotencyKey: randomUUID(),
    imageUrl: null,
    videoUrl: null,
    pictureUrls: null,
    sentAt: null,
    attempts: 0,
    notBefore: 0,
  }
}
