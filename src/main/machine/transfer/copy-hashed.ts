/** @file Reads a file as a stream, and copies it while its hash is computed. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { MienError } from '@shared/errors.ts'
import { saveStream, type SaveOptions } from './save-stream.ts'
import { fileFailure, onFile } from '../disk/disk-errors.ts'

/**
 * The bytes of a file of this size.
 * @throws MienError as `fileFailure`, `file-changed` (its size changed meanwhile), `cancelled`
 */
export async function* bytesOf(path: string, size: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  let done = 0
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20, end: size })) {
      if (signal?.aborted) throw new MienError('cancelled')
      // Safe: a file stream without an encoding yields Buffers.
      const bytes = chunk as Buffer
      done += bytes.length
      if (done > size) throw new MienError('file-changed')
      yield bytes
    }
  } catch (error) {
    throw fileFailure(error)
  }
  if (done < size) throw new MienError('file-changed')
}

interface CopyOptions extends Pick<SaveOptions, 'freeBytes' | 'onProgress'> {
  signal: AbortSignal
}

/**
 * Copies the file at `from` to `to`, on disk when it resolves. After a failure the copy stays.
 * @throws MienError as `bytesOf`, codes of `saveStream`
 */
export async function copyHashed(
  from: string,
  to: string,
  { signal, ...options }: CopyOptions,
): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = createHash('sha256')
  const { size } = await onFile(stat(from))
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const bytes of bytesOf(from, size, signal)) {
      hash.update(bytes)
      yield bytes
    }
  }
  await saveStream(hashed(), to, { ...options, total: size, sync: true })
  return { sha256: hash.digest('hex'), sizeBytes: size }
}
