/** @file Fingerprint of a file's content, so that a video is recognised under any name. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { fileFailure } from '../../machine/disk/disk-errors.ts'

const mib = 1024 * 1024

/**
 * SHA-256, in hexadecimal, of the size in bytes as decimal digits, followed by the first, the middle and the last MiB.
 * The middle one begins at half the size minus half a MiB, rounded down. A file of at most 3 MiB is hashed whole.
 * @throws MienError `file-missing`, `file-unreadable`, `file-unreachable`
 */
export async function fingerprintOf(path: string): Promise<string> {
  try {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      const hash = createHash('sha256').update(String(size))
      const starts = size <= 3 * mib ? [0, mib, 2 * mib] : [0, Math.floor((size - mib) / 2), size - mib]
      const buffer = Buffer.alloc(mib)
      for (const position of starts) {
        const { bytesRead } = await file.read({ buffer, position })
        hash.update(buffer.subarray(0, bytesRead))
      }
      return hash.digest('hex')
    } finally {
      await file.close()
    }
  } catch (error) {
    throw fileFailure(error)
  }
}
