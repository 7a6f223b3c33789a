/** @file Downloads a file to disk with resume (Range), checks of length and content, and fsync. */
import { open, readFile, stat, writeFile, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MienError, toErrorBody } from '@shared/errors.ts'
import { removeFile, replaceFile } from '../../data/busy-files.ts'
import { freeBytes } from '../../data/free-bytes.ts'
import { saveFailure } from '../../data/save-failure.ts'
import { checkContainer } from './containers.ts'
import { requestRest, type Coming, type DownloadSource, type Part } from './download-request.ts'
import { chunksOf } from './http.ts'
import { networkFailure } from './network.ts'
import { inactivityMs } from './upload.ts'
import type { TransferOptions } from '../types.ts'

/** Max size of a picture. */
const maxPictureBytes = 64_000_000
/** Max decompressed size if the server compresses although it was not asked to; protects the disk from a zip bomb. */
const maxEncodedBytes = 4_000_000_000
/** Max share of the free disk space for a file of unknown length, which may be endless. */
const shareOfDisk = 0.9

const tagOf = (part: string): string => `${part}.tag`

async function partAt(path: string): Promise<Part> {
  const validator = await readFile(tagOf(path), 'utf8').catch(() => null)
  const bytes = validator === null ? 0 : ((await stat(path).catch(() => null))?.size ?? 0)
  return { bytes, validator }
}

/** Removes the files of an unfinished download at `path`. */
export async function removePart(path: string): Promise<void> {
  await removeFile(path)
  await removeFile(tagOf(path))
}

/** A write may be partial, e.g. on a disk that is nearly full. */
async function writeAll(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < chunk.byteLength;)
    done += (await file.write(chunk, done, chunk.byteLength - done, position + done)).bytesWritten
}

/** Maps disk errors to a MienError, so that they are not mistaken for network errors. */
const onDisk = <T>(work: Promise<T>, path: string): Promise<T> =>
  work.catch(async (error: unknown) => {
    throw await saveFailure(error, path)
  })

/** @throws MienError `result-unreadable` */
async function ensureContent(file: FileHandle, path: string, size: number, wanted: 'video' | 'picture'): Promise<void> {
  const read = async (position: number, length: number): Promise<Uint8Array> => {
    const { buffer, bytesRead } = await onDisk(file.read(new Uint8Array(length), 0, length, position), path)
    return buffer.subarray(0, bytesRead)
  }
  await checkContainer(read, size, wanted)
}

/** Checks a part that is already complete. @throws MienError `result-unreadable` */
async function ensureWhole(path: string, size: number, wanted: 'video' | 'picture'): Promise<void> {
  const file = await onDisk(open(path, 'r'), path)
  try {
    await ensureContent(file, path, size, wanted)
  } catch (error) {
    await removeFile(tagOf(path))
    throw error
  } finally {
    await file.close()
  }
}

/** @throws MienError `disk-full` */
function ensureRoom({ start, total }: Coming, free: number): void {
  const needBytes = total === null ? null : total - start
  if (needBytes !== null && needBytes > free) throw new MienError('disk-full', { needBytes, freeBytes: free })
}

type Receiving = TransferOptions & { signal: AbortSignal; onChunk: () => void }

/** Writes the body to `path`. */
async function receive(
  { response, host, start, total }: Coming,
  path: string,
  free: number,
  { wanted, onProgress, temporary = false, onChunk, signal }: Receiving,
): Promise<void> {
  const validator = response.headers.get('etag') ?? response.headers.get('last-modified')
  // A weak validator does not guarantee identical bytes (RFC 9110, 13.1.5).
  if (validator !== null && !validator.startsWith('W/')) await onDisk(writeFile(tagOf(path), validator), path)
  else await onDisk(removeFile(tagOf(path)), path)
  const file = await onDisk(open(path, start > 0 ? 'r+' : 'w+'), path)
  const encoded = response.headers.get('content-encoding') !== null
  const max = wanted === 'picture' ? maxPictureBytes : encoded ? maxEncodedBytes : Infinity
  let done = start
  try {
    for await (const chunk of chunksOf(response.body, signal)) {
      onChunk()
      if (total === null && done - start + chunk.byteLength > free * shareOfDisk)
        throw new MienError('disk-full', { needBytes: null, freeBytes: free })
      await onDisk(writeAll(file, chunk, done), path)
      done += chunk.byteLength
      if (done > max) throw new MienError('result-unreadable', { host, bytes: done })
      onProgress?.({ bytesDone: done, bytesTotal: total })
    }
    if (!temporary) await onDisk(file.sync(), path)
    if (wanted !== undefined && done > 0 && (total === null || done === total))
      await ensureContent(file, path, done, wanted)
  } catch (error) {
    // Don't resume from a partial file of another type, nor from one that may be endless.
    const { code } = toErrorBody(error)
    if (code === 'result-unreadable' || (code === 'disk-full' && total === null)) {
      await removeFile(tagOf(path))
      await file.truncate(0)
    }
    throw error
  } finally {
    await file.close()
  }
  if (done === 0 || (total !== null && done !== total)) {
    if (done === 0 || (total !== null && done > total)) await removeFile(tagOf(path))
    throw new MienError('result-unreadable', { bytes: done, expectedBytes: total })
  }
}

/** `address-refused` is about addresses the user entered; this one came from the service. */
function asResultError(error: MienError): MienError {
  if (error.code !== 'address-refused') return error
  const unusable = ['scheme', 'credentials', 'private'].includes(String(error.details['reason']))
  return new MienError(unusable ? 'result-address-invalid' : 'result-unavailable', error.details, { cause: error })
}

const unwritable: readonly string[] = ['save-failed', 'folder-missing', 'folder-read-only']

/**
 * Downloads a whole file to `path`; `path.tag` stores its validator. Both stay after a failure, so that the next try
 * resumes, unless the file can't be written at all. Rejects with a MienError.
 */
export async function downloadPart(source: DownloadSource, path: string, options: TransferOptions): Promise<void> {
  const { signal, wanted } = options
  const { host } = new URL(source.url)
  const inactivity = new AbortController()
  const timer = setTimeout(() => {
    inactivity.abort(new MienError('service-timeout', { host }))
  }, inactivityMs)
  try {
    const either = signal ? AbortSignal.any([signal, inactivity.signal]) : inactivity.signal
    const part = await partAt(path)
    const coming = await requestRest(source, part, either)
    if (coming === null) {
      if (wanted !== undefined) await ensureWhole(path, part.bytes, wanted)
      return
    }
    const free = await onDisk((source.freeBytes ?? freeBytes)(dirname(path)), path)
    ensureRoom(coming, free)
    await receive(coming, path, free, { ...options, signal: either, onChunk: () => timer.refresh() })
  } catch (thrown) {
    if (signal?.aborted) throw new MienError('cancelled', {}, { cause: thrown })
    if (inactivity.signal.aborted) throw inactivity.signal.reason
    const { error } = networkFailure(thrown, host, false)
    if (unwritable.includes(error.code)) await removePart(path).catch(() => undefined)
    throw asResultError(error)
  } finally {
    clearTimeout(timer)
    // Cancels the unread rest of the body after a failure.
    inactivity.abort()
  }
}

/**
 * Like `downloadPart`, then moves the file to `path`, replacing an existing one. After a failure `path.part` stays for
 * the next try, unless the file can't be written at all.
 */
export async function download(source: DownloadSource, path: string, options: TransferOptions): Promise<void> {
  const part = `${path}.part`
  await downloadPart(source, part, options)
  try {
    await replaceFile(part, path)
    await removeFile(tagOf(part))
  } catch (error) {
    await removePart(part).catch(() => undefined)
    throw await saveFailure(error, path)
  }
}
