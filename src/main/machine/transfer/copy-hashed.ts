/** @file Copies a file while its hash is computed. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { MienError } from '@shared/errors.ts'
import { saveStream, type SaveOptions } from './save-stream.ts'
import { fileFailure, onFile } from '../disk/disk-errors.ts'

interface CopyOptions extends Pick<SaveOptions, 'freeBytes' | 'onProgress'> {
  signal: AbortSignal
}

/**
 * Copies the file at `from` to `to`, on disk when it resolves. After a failure the copy stays.
 * @throws MienError as `fileFailure`, `file-changed` (its size changed meanwhile), `cancelled`, codes of `saveStream`
 */
export async function copyHashed(
  from: string,
  to: string,
  { signal, ...options }: CopyOptions,
): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = createHash('sha256')
  const { size } = await onFile(stat(from))
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let done = 0
    try {
      for await (const chunk of createReadStream(from, { highWaterMark: 2 ** 20, end: size })) {
        if (signal.aborted) throw new MienError('cancelled')
        // Safe: a file stream without an encoding yields Buffers.
        const bytes = chunk as Buffer
        done += bytes.length
        if (done > size) throw new MienError('file-changed')
        hash.update(bytes)
        yield bytes
      }
    } catch (error) {
      throw fileFailure(error)
    }
    if (done < size) throw new MienError('file-changed')
  }
  await saveStream(chunks(), to, { ...options, total: size, sync: true })
  return { sha256: hash.digest('hex'), sizeBytes: size }
}
