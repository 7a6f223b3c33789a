/** @file Copies a stream to a file that appears under its name only if it is complete and has the right hash. */
import { createHash, type Hash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { removeFile, replaceFile } from '../../../machine/disk/busy-files.ts'
import { onDisk } from '../../../machine/disk/save-failure.ts'
import { syncNames } from '../../../machine/disk/sync-names.ts'
import { saveStream } from '../../../machine/transfer/save-stream.ts'

/** Only the owner may read the files, because they show faces. */
const mode = 0o600

export interface CheckedCopy {
  sha256: string
  /** Length in bytes; null: unknown. */
  total: number | null
  /** Free bytes on the disk of `path`. */
  temp: string
  path: string
  /** Whether the file has to survive a power failure. */
  sync: boolean
}

/**
 * Resolves with false, and leaves no file, if the content's hash is different.
 * @throws MienError as `saveStream`; errors of the stream pass through
 */
export async function copyChecked(
  stream: AsyncIterable<Uint8Array>,
  { sha256, total, temp, path, sync }: CheckedCopy,
): Promise<boolean> {
  const hash = createHash('sha256')
  try {
    await onDisk(
      open(temp, 'wx', mode).then((file) => file.close()),
      temp,
    )
    await saveStream(hashed(stream, hash), temp, { total, sync })
    if (hash.digest('hex') !== sha256) return false
    await onDisk(replaceFile(temp, path), path)
    if (sync) await syncNames(dirname(path))
    return true
  } finally {
    await removeFile(temp)
  }
}

async function* hashed(stream: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    hash.update(chunk)
    yield chunk
  }
}

const chunkBytes = 1 << 18

/** Reads an open file from its beginning; `name` converts disk errors. @throws MienError `cancelled` */
export async function* readChunks(
  file: FileHandle,
  signal: AbortSignal | undefined,
  name: (error: unknown) => MienError,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    if (signal?.aborted) throw new MienError('cancelled')
    const { buffer, bytesRead } = await file.read(new Uint8Array(chunkBytes)).catch((error: unknown) => {
      throw name(error)
    })
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}
