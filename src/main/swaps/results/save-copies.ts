/** @file Copies many files into a folder, one after the other, never over a file. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, rm, stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { toErrorBody, type ErrorBody, type ErrorCode } from '@shared/errors.ts'
import { maxListedFailures, type FileOutcome, type FileProgress } from '@shared/files/file-outcome.ts'
import { onFile, saveFailure } from '../../machine/disk/disk-errors.ts'
import { bytesOf } from '../../machine/transfer/copy-hashed.ts'
import { saveStream } from '../../machine/transfer/save-stream.ts'
import { placeFile, fileNames } from './place-file.ts'

/** The file of a finished swap. */
export interface ResultFile {
  number: number
  title: string
  path: string
  sizeBytes: number
}

export interface FileRun {
  signal: AbortSignal
  onProgress: (progress: FileProgress) => void
}

/** Errors of the folder, after which no other file can be saved either. */
const folderErrors: readonly ErrorCode[] = ['disk-full', 'folder-missing', 'folder-read-only', 'save-failed']

/** Does `work` for each file until `signal` is aborted. An error for which `isLast` is true ends it, too. */
export async function forEachFile(
  files: readonly ResultFile[],
  work: (file: ResultFile, onBytes: (bytes: number) => void) => Promise<void>,
  { signal, onProgress, isLast = () => false }: FileRun & { isLast?: (error: ErrorBody) => boolean },
): Promise<Omit<FileOutcome, 'unfinished' | 'folder'>> {
  const outcome = { done: 0, failed: [] as FileOutcome['failed'], failedCount: 0, left: 0 }
  const total = Math.max(
    1,
    files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  )
  let before = 0
  for (const [index, file] of files.entries()) {
    const report = (bytes: number): void => {
      onProgress({ done: index, count: files.length, share: Math.min(1, (before + bytes) / total) })
    }
    const left = { left: files.length - index }
    if (signal.aborted) return { ...outcome, ...left, problem: null }
    report(0)
    try {
      await work(file, report)
      outcome.done += 1
    } catch (thrown) {
      const error = toErrorBody(thrown)
      if (error.code === 'cancelled') return { ...outcome, ...left, problem: null }
      if (isLast(error)) return { ...outcome, ...left, problem: error }
      outcome.failedCount += 1
      if (outcome.failed.length < maxListedFailures) outcome.failed.push({ title: file.title, error })
    }
    before += file.sizeBytes
  }
  return { ...outcome, problem: null }
}

/** Copies under their own names, or with a number behind them. Partial files are removed. */
export function saveCopies(
  files: readonly ResultFile[],
  folder: string,
  { signal, onProgress }: FileRun,
): ReturnType<typeof forEachFile> {
  return forEachFile(
    files,
    async ({ path }, onBytes) => {
      const part = join(folder, `.${randomUUID()}.part`)
      try {
        const { name, ext } = parse(path)
        await copy(path, part, signal, onBytes)
        const names = fileNames(name, ext.slice(1))
        await placeFile({ part, folder, names, onTry: () => undefined }).catch(async (error: unknown) => {
          throw await saveFailure(error, part)
        })
      } finally {
        await rm(part, { force: true }).catch(() => undefined)
      }
    },
    { signal, onProgress, isLast: ({ code }) => folderErrors.includes(code) },
  )
}

/** @throws MienError of the source (`file-missing`, …) or of the folder (`folderErrors`), `cancelled` */
async function copy(from: string, to: string, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<void> {
  const { size } = await onFile(stat(from))
  const isCloned = await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  )
  if (isCloned) return
  const onProgress = ({ bytesDone }: { bytesDone: number }): void => {
    onBytes(bytesDone)
  }
  // A folder that nobody can write to has no free space, either, and writing says which it is.
  const freeBytes = (): Promise<number> => Promise.resolve(Infinity)
  await saveStream(bytesOf(from, size, signal), to, { total: size, sync: false, onProgress, freeBytes })
}
