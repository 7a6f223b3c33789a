/** @file Writes a stream of bytes to a file. */
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { freeBytes as freeBytesOf, type FreeBytes } from '../disk/files.ts'
import { onDisk } from '../disk/disk-errors.ts'

/** Max share of the free disk space for a stream of unknown length, which may be endless. */
const shareOfDisk = 0.9

export interface TransferProgress {
  bytesDone: number
  bytesTotal: number | null
}

export interface SaveOptions {
  /** Length of the whole file in bytes; null: unknown. */
  total: number | null
  /** Length of the existing file, to which the stream is appended. Defaults to 0: replaces the file. */
  start?: number
  /** Max length of the file. */
  maxBytes?: number
  /** Disk space reserved for everything else on this computer. */
  reserveBytes?: number
  freeBytes?: FreeBytes | undefined
  /** Whether to fsync the file. */
  sync: boolean
  onProgress?: ((progress: TransferProgress) => void) | undefined
}

/** Length of a body in bytes; null: unknown, or the header counts compressed bytes. */
export function bodyLength({ headers }: Response): number | null {
  const length = headers.get('content-encoding') === null ? Number(headers.get('content-length') ?? NaN) : NaN
  return Number.isFinite(length) ? length : null
}

/**
 * Resolves with the length of the file; the caller compares it with `total`. After a failure the file stays.
 * @throws MienError `disk-full` (needBytes null: the stream has no known end), `result-unreadable` (longer than
 * `maxBytes`), as `saveFailure`; errors of the stream pass through
 */
export async function saveStream(
  stream: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  path: string,
  { total, start = 0, maxBytes = Infinity, reserveBytes = 0, freeBytes = freeBytesOf, sync, onProgress }: SaveOptions,
): Promise<number> {
  const free = await onDisk(freeBytes(dirname(path)), path)
  const needBytes = (total ?? start) - start + reserveBytes
  if (needBytes > free) throw new MienError('disk-full', { needBytes, freeBytes: free })
  const roomBytes = total === null ? (free - reserveBytes) * shareOfDisk : Infinity
  const file = await onDisk(open(path, start > 0 ? 'r+' : 'w'), path)
  let done = start
  try {
    for await (const chunk of stream) {
      const end = done + chunk.byteLength
      if (end - start > roomBytes) throw new MienError('disk-full', { needBytes: null, freeBytes: free })
      if (end > maxBytes) throw new MienError('result-unreadable', { bytes: end })
      // A write may be partial, e.g. on a disk that is nearly full.
      while (done < end) {
        const at = chunk.byteLength - (end - done)
        done += (await onDisk(file.write(chunk, at, end - done, done), path)).bytesWritten
      }
      onProgress?.({ bytesDone: done, bytesTotal: total })
    }
    if (sync) await onDisk(file.sync(), path)
  } finally {
    await file.close()
  }
  return done
}
