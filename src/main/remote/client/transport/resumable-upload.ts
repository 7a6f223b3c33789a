/**
 * @file Uploads a large file in chunks (`/v1/uploads`). After a lost connection, a crash or a restart it continues where
 * the service says, at any of its servers. A file that the service still has is not sent again.
 */
import type { Stats } from 'node:fs'
import { MienError } from '@shared/errors.ts'
import { inactivityMs } from '../../../machine/transfer/download-timeout.ts'
import { errorOfAnswer, notAService } from '../parsing/answer-errors.ts'
import type { ReadAnswer } from './http.ts'
import type { FilePart, SentAnswer } from './upload.ts'

/** A server takes chunks of up to 16 MiB. */
export const usualChunkBytes = 8 * 2 ** 20
/** After the last chunk, a server joins them all. It ends connections that are idle for two minutes. */
const lastAnswerMs = 110_000
const maxConflicts = 3

/** An upload that was begun, and the file that it is of. */
export interface BegunUpload {
  /** At the service; later the id of the file. */
  id: string
  sizeBytes: number
  /** Whole milliseconds. */
  modifiedMs: number
}

/** Where an upload is noted, so that it can be continued in a later run. */
export interface UploadNote {
  get: () => BegunUpload | null
  set: (begun: BegunUpload | null) => void
}

export interface UploadRequests {
  chunkBytes: number
  /** @returns the id of a new upload */
  begin: (sizeBytes: number) => Promise<string>
  /** The next byte to send; null: the service doesn't have the upload. */
  received: (id: string) => Promise<number | null>
  /** Resolves for any status. */
  append: (id: string, part: FilePart) => Promise<SentAnswer>
}

export const isGone = ({ status }: ReadAnswer): boolean => status === 404 || status === 410

/** Sends what the service lacks of the upload. Null: it no longer has the upload. */
async function sendRest(
  { append, chunkBytes }: UploadRequests,
  { id, sizeBytes }: BegunUpload,
  offset: number,
  facts: Stats,
): Promise<SentAnswer | null> {
  let start = offset
  let conflicts = 0
  for (;;) {
    const length = Math.min(chunkBytes, sizeBytes - start)
    const isLast = start + length === sizeBytes
    const answer = await append(id, { start, length, facts, answerMs: isLast ? lastAnswerMs : inactivityMs })
    if (isGone(answer)) return null
    const isConflict = answer.status === 409 && answer.uploadOffset !== null
    if (!isConflict && answer.status !== 204) return answer
    if (isConflict && ++conflicts > maxConflicts) throw errorOfAnswer(answer)
    const next: number = answer.uploadOffset ?? start + length
    if (next > sizeBytes || (!isConflict && next <= start)) throw notAService(answer.text, answer.status)
    start = next
  }
}

/**
 * Resolves with the answer to the last chunk, of any status.
 * @throws MienError `file-changed`, and those of `UploadRequests`
 */
export async function uploadInChunks(requests: UploadRequests, facts: Stats, note: UploadNote): Promise<SentAnswer> {
  const [sizeBytes, modifiedMs] = [facts.size, Math.floor(facts.mtimeMs)]
  const begun = note.get()
  if (begun?.sizeBytes === sizeBytes && begun.modifiedMs === modifiedMs) {
    const received = await requests.received(begun.id)
    const answer = received === null ? null : await sendRest(requests, begun, Math.min(received, sizeBytes), facts)
    if (answer) return answer
  }
  // Another file, or the service removed what it had: uploads are kept for a day.
  note.set(null)
  const next = { id: await requests.begin(sizeBytes), sizeBytes, modifiedMs }
  note.set(next)
  const answer = await sendRest(requests, next, 0, facts)
  if (answer) return answer
  note.set(null)
  throw new MienError('service-trouble', { status: 404 })
}
