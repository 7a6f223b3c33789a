/**
 * @file Streams a file, or a part of it, to a URL, and a large file in chunks (`/v1/uploads`). Uses node:http, because
 * Electron's net.fetch buffers the whole request body in memory before sending. After a lost connection, a crash or a restart
 * an upload in chunks continues where the service says, at any of its servers. A file that the service still has is not sent
 * again.
 */
import { createReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MienError } from '@shared/errors.ts'
import { serviceHeader } from '@shared/service/wire.ts'
import { fileFailure, onFile } from '../../../machine/disk/disk-errors.ts'
import { inactivityMs, readText } from '../../../machine/transfer/download-timeout.ts'
import { maxAnswerBytes, parseAnswer, type ReadAnswer, type TransferOptions } from './http.ts'
import { pinnedSocket } from './pinned-socket.ts'
import { errorOfAnswer, notAService } from '../parsing/answers.ts'

const continueMs = 1000

/** A part of a file, to append to what a service has. In bytes. */
export interface FilePart {
  start: number
  length: number
  /** Of the whole file when its upload began. */
  facts: Stats
  /** Max time to wait for the answer after the last byte. */
  answerMs: number
}

export interface SentAnswer extends ReadAnswer {
  /** The header Upload-Offset; null: absent or not a number. */
  uploadOffset: number | null
}

const wholeNumber = (text: unknown): number | null =>
  typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : null

/**
 * PUTs a file, or PATCHes a part. Resolves for any status. `fingerprint`: of the only certificate to accept. Rejects with
 * the socket's error; or with `file-missing`, `file-unreachable` or `file-changed` if the file is missing, disappears or
 * changes, in which case the request stays incomplete.
 */
export async function sendFile(
  url: URL,
  path: string,
  headers: Record<string, string>,
  { onProgress, signal }: TransferOptions,
  fingerprint: string | null = null,
  part: FilePart | null = null,
): Promise<SentAnswer> {
  const facts = part?.facts ?? (await onFile(stat(path)))
  const { start, length } = part ?? { start: 0, length: facts.size }
  // Not loaded at startup: an import of node:http reads all that it exports, and so loads undici, for 95 ms.
  const http = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const socket = fingerprint === null ? null : await pinnedSocket(url, fingerprint, signal)
  const request = http.request(url, {
    method: part ? 'PATCH' : 'PUT',
    headers: {
      ...headers,
      ...(part ? { 'upload-offset': start } : {}),
      'content-type': 'application/octet-stream',
      'content-length': length,
      expect: '100-continue',
    },
    timeout: part?.answerMs ?? inactivityMs,
    ...(socket ? { createConnection: () => socket } : {}),
    ...(signal ? { signal } : {}),
  })
  request.on('timeout', () => request.destroy(new MienError('service-timeout', { host: url.host })))
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    request.once('response', resolve).on('error', reject),
  )
  let bytesDone = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytesDone += chunk.byteLength
      onProgress?.({ bytesDone: start + bytesDone, bytesTotal: facts.size })
      done(null, chunk)
    },
    flush(done) {
      done(bytesDone === length ? null : new MienError('file-changed'))
    },
  })
  // Wait for a refusal (401, 507) before sending the file; otherwise the broken pipe would hide the answer. Servers
  // without support for 100-continue get the file after a second.
  const wanted = new Promise<void>((resolve) => {
    request.once('continue', resolve)
    setTimeout(resolve, continueMs).unref()
  })
  request.flushHeaders()
  const early = await Promise.race([wanted, answered])
  // Only the answer counts, even if sending fails.
  if (early === undefined && length === 0) {
    request.end()
  } else if (early === undefined) {
    const file = createReadStream(path, { start, end: start + length - 1 })
    file.on('error', (error) => request.destroy(fileFailure(error)))
    counter.on('error', (error) => request.destroy(error))
    pipeline(file, counter, request).catch(() => undefined)
  }
  const response = await answered
  const { text } = await readText(response, maxAnswerBytes)
  request.destroy()
  // If the file has disappeared since, it was still sent completely.
  const now = await stat(path).catch(() => facts)
  if (now.size !== facts.size || now.mtimeMs !== facts.mtimeMs) throw new MienError('file-changed')
  const answer = parseAnswer({
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type']?.toLowerCase() ?? '',
    retryAfter: response.headers['retry-after'] ?? null,
    isOwn: serviceHeader in response.headers,
    text,
  })
  return { ...answer, uploadOffset: wholeNumber(response.headers['upload-offset']) }
}

/** A server takes chunks of up to 16 MiB. */
export const usualChunkBytes = 8 * 2 ** 20
/** After the last chunk, a server joins them all. It ends connections that are idle for two minutes. */
const lastAnswerMs = 110_000
const maxConflicts = 3

/** An upload that was begun, and the file that it is of. */
interface BegunUpload {
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
