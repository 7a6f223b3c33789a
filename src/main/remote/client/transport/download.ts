/** @file Downloads a file to disk with resume (Range), checks of length, type and completeness, and fsync. */
import { MienError, toErrorBody } from '@shared/errors.ts'
import { fileType, headBytes } from '@shared/files/file-type.ts'
import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { removeFile, replaceFile } from '../../../machine/disk/files.ts'
import { onDisk, saveFailure } from '../../../machine/disk/disk-errors.ts'
import { DownloadTimeout } from '../../../machine/transfer/download-timeout.ts'
import { saveStream } from '../../../machine/transfer/save-stream.ts'
import { requestRest, type Coming, type DownloadSource, type Part } from './download-request.ts'
import { networkFailure } from '../parsing/outcomes.ts'
import type { TransferOptions } from './http.ts'

/** Extensions of the types that a result may have, by the names of `fileType`. */
const containers: Readonly<Record<string, string>> = {
  ...{ MP4: 'mp4', QuickTime: 'mov', WebM: 'webm', Matroska: 'mkv', AVI: 'avi' },
  ...{ 'MPEG-TS': 'ts', Theora: 'ogv', Ogg: 'ogv' },
  ...{ JPEG: 'jpg', PNG: 'png', WebP: 'webp', GIF: 'gif', AVIF: 'avif', HEIC: 'avif', BMP: 'bmp' },
}

/** Extension by the first `headBytes` bytes of a file; null: not supported. */
export const containerOf = (head: Uint8Array): string | null => containers[fileType(head)?.name ?? ''] ?? null

/** Reads `length` bytes at `position`; fewer at the end of the file. */
type ReadAt = (position: number, length: number) => Promise<Uint8Array>

/**
 * Checks that a file of `size` bytes has the wanted type and is complete.
 * @throws MienError `result-unreadable` with `reason`: page, not-a-video, not-a-picture, cut-off
 */
export async function checkContainer(read: ReadAt, size: number, wanted: 'video' | 'picture'): Promise<string> {
  const head = await read(0, headBytes)
  const found = containerOf(head)
  if (found === null || (fileType(head)?.family === 'picture') !== (wanted === 'picture'))
    throw new MienError('result-unreadable', {
      reason: isPage(head) ? 'page' : wanted === 'video' ? 'not-a-video' : 'not-a-picture',
      bytes: size,
    })
  if ((found === 'mp4' || found === 'mov') && !(await boxesFit(read, size)))
    throw new MienError('result-unreadable', { reason: 'cut-off', bytes: size })
  return found
}

/** A web page, or an answer in JSON or XML, whatever its type was. */
const isPage = (head: Uint8Array): boolean =>
  /^(?:\ufeff|\s)*(?:<[!?a-z]|[{[]\s*["{])/i.test(new TextDecoder().decode(head))

/**
 * Whether every top-level box (ISO/IEC 14496-12, 4.2) ends within the file; in a truncated file the last one doesn't.
 */
async function boxesFit(read: ReadAt, size: number): Promise<boolean> {
  let at = 0
  for (let boxes = 0; at < size && boxes < 100_000; boxes++) {
    const bytes = await read(at, 16)
    if (bytes.length < 8) return false
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let length = view.getUint32(0)
    // 0: extends to the end of the file. 1: a 64-bit length follows.
    if (length === 0) return true
    if (length === 1) {
      if (bytes.length < 16) return false
      length = Number(view.getBigUint64(8))
    }
    if (length < 8) return false
    at += length
  }
  return at <= size
}

/** Max size of a still. */
const maxStillBytes = 64_000_000
/** Max decompressed size if the server compresses although it was not asked to; protects the disk from a zip bomb. */
const maxEncodedBytes = 4_000_000_000

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

/** Frees the disk space of a part that must not be resumed. */
async function emptyPart(path: string): Promise<void> {
  await removeFile(tagOf(path))
  await truncate(path)
}

/** @throws MienError `result-unreadable` */
async function ensureContent(path: string, size: number, wanted: 'video' | 'picture'): Promise<void> {
  const file = await onDisk(open(path, 'r'), path)
  const read = async (position: number, length: number): Promise<Uint8Array> => {
    const { buffer, bytesRead } = await onDisk(file.read(new Uint8Array(length), 0, length, position), path)
    return buffer.subarray(0, bytesRead)
  }
  try {
    await checkContainer(read, size, wanted)
  } catch (error) {
    await emptyPart(path)
    throw error
  } finally {
    await file.close()
  }
}

/** Stores a validator for `if-range`. A weak one does not guarantee identical bytes (RFC 9110, 13.1.5). */
async function storeTag({ headers }: Response, path: string): Promise<void> {
  const validator = headers.get('etag') ?? headers.get('last-modified')
  if (validator !== null && !validator.startsWith('W/')) await onDisk(writeFile(tagOf(path), validator), path)
  else await onDisk(removeFile(tagOf(path)), path)
}

/** Writes the body to `path`; resolves with the file's length. */
async function receive(
  { response, start, total }: Coming,
  path: string,
  timeout: DownloadTimeout,
  { wanted, onProgress, temporary = false, ...given }: TransferOptions,
  freeBytes: DownloadSource['freeBytes'],
): Promise<number> {
  const encoded = response.headers.get('content-encoding') !== null
  const allowed = given.maxBytes ?? (wanted === 'picture' ? maxStillBytes : Infinity)
  const maxBytes = Math.min(allowed, encoded ? maxEncodedBytes : Infinity)
  async function* chunks(): AsyncGenerator<Uint8Array> {
    // Only now, when the bytes of another version are gone.
    await storeTag(response, path)
    yield* timeout.chunks(response)
  }
  const options = { start, total, maxBytes, freeBytes, sync: !temporary, onProgress }
  const done = await saveStream(chunks(), path, options).catch(async (error: unknown) => {
    const { code } = toErrorBody(error)
    if (code === 'result-unreadable' || (code === 'disk-full' && total === null)) await emptyPart(path)
    throw error
  })
  if (done === 0 || (total !== null && done !== total)) {
    if (done === 0 || (total !== null && done > total)) await removeFile(tagOf(path))
    // Nothing breaks off in an empty file.
    throw new MienError('result-unreadable', { bytes: done, ...(total && { expectedBytes: total }) })
  }
  return done
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
  const timeout = new DownloadTimeout(signal)
  try {
    const part = await partAt(path)
    const coming = await requestRest(source, part, timeout.signal)
    const size = coming === null ? part.bytes : await receive(coming, path, timeout, options, source.freeBytes)
    if (wanted !== undefined) await ensureContent(path, size, wanted)
  } catch (thrown) {
    if (signal?.aborted) throw new MienError('cancelled', {}, { cause: thrown })
    if (timeout.silentSeconds !== null) throw new MienError('service-timeout', { host }, { cause: thrown })
    const { error } = networkFailure(thrown, host, false)
    if (unwritable.includes(error.code)) await removePart(path).catch(() => undefined)
    throw asResultError(error)
  } finally {
    timeout.end()
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
