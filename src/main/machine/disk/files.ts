/**
 * @file Files and folders. Replaces and removes files that another program may have open. On Windows virus scanners open each new file,
 * and a rename or removal meanwhile fails with EPERM, EBUSY or EACCES.
 */
import { createHash } from 'node:crypto'
import { rename, rm, access, open, stat, statfs } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createReadStream } from 'node:fs'
import { fileType, headBytes, type FileType } from '@shared/files/file-type.ts'

const busyCodes: ReadonlySet<unknown> = new Set(['EPERM', 'EBUSY', 'EACCES'])
/** About 1.5 s in total. */
export const usualPausesMs = [10, 40, 100, 200, 400, 800]

/** Retries `work` after each pause while a file is busy. Rejects with the last error. */
export async function retryBusy<T>(work: () => Promise<T>, pausesMs = usualPausesMs): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && busyCodes.has(error.code))) throw error
      await wait(pauseMs)
    }
  }
  return work()
}

/** Renames a file, replacing an existing one. */
export const replaceFile = (from: string, to: string): Promise<void> => retryBusy(() => rename(from, to))

/** Removes a file; ignores a missing one. */
export const removeFile = (path: string): Promise<void> => retryBusy(() => rm(path, { force: true }))

/** Whether there is a file or a folder. */
export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Last two parts of a path: "Movies / Mien". Never the full path, which contains the user's name. */
export const folderName = (path: string): string => path.split(sep).filter(Boolean).slice(-2).join(' / ')

/**
 * Fsyncs a folder, so that created, renamed and removed files survive a power failure. Windows doesn't support this.
 */
export async function syncNames(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

/** The type of a file by its first bytes; null: unknown. Rejects with the system's error. */
export async function typeOfFile(path: string): Promise<FileType | null> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(headBytes), 0, headBytes, 0)
    return fileType(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/** Free bytes on a folder's disk. */
export type FreeBytes = (dir: string) => Promise<number>

/** Disk space that uploads and downloads leave for everything else on this computer. */
export const reserveBytes = 64 * 2 ** 20

/** SHA-256 of a file's content, in hex. Rejects with the system's error. */
export const sha256Of = async (path: string): Promise<string> => (await digestOf(path, 'sha256')).toString('hex')

/** Digest of a file's content. Rejects with the system's error. */
export async function digestOf(path: string, algorithm: 'sha256' | 'sha512'): Promise<Buffer> {
  const digest = createHash(algorithm)
  await pipeline(createReadStream(path), digest)
  return digest.digest()
}

/** Another text if a file was written to or replaced. Rejects with the system's error. */
export async function stampOf(path: string): Promise<string> {
  const { size, mtimeNs, ino } = await stat(path, { bigint: true })
  return [size, mtimeNs, ino].join(' ')
}

export const freeBytes: FreeBytes = async (dir) => {
  const disk = await statfs(dir)
  return disk.bavail * disk.bsize
}
