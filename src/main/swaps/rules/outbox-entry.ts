/**
 * @file Outbox entry: what is still to be sent for a swap. Its pictures; and people, ranges and pictures as targets, which only
 * some services know.
 */
import { randomUUID } from 'node:crypto'
import type { TargetKind } from '@shared/engine/engine.ts'
import { MienError } from '@shared/errors.ts'
import type { Draft } from '@shared/tasks/task.ts'
import type { Capabilities } from '@shared/service/wire.ts'

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

interface Faces<Picture> {
  face: Picture
  pictures: Picture[]
}

/** All pictures of a swap besides `face`, each once: those of the same person, or of everyone in its cast. */
export function otherPictures<Picture extends { id: string }>({
  face,
  pictures,
  cast,
}: Faces<Picture> & { cast: Faces<Picture>[] }): Picture[] {
  const all = cast.length === 0 ? pictures : cast.flatMap((each) => [each.face, ...each.pictures])
  return [...new Map(all.map((picture) => [picture.id, picture])).values()].filter(({ id }) => id !== face.id)
}

/** Why a service can't make a swap as the user wants it; null: it can. Such a swap is never simplified. */
export function refusalOf(
  { cast, range, video }: Required<Pick<Draft, 'range'>> & { cast: readonly unknown[]; video: { kind: TargetKind } },
  capabilities: Capabilities | null,
): MienError | null {
  const { kind } = video
  if (kind !== 'video' && !capabilities?.targets.includes(kind)) return new MienError('target-unsupported', { kind })
  if (cast.length > (capabilities?.cast ?? 0)) return new MienError('cast-unsupported')
  return range !== null && capabilities?.range !== true ? new MienError('range-unsupported') : null
}
