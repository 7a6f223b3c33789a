/**
 * @file Replaces and removes files that another program may have open. On Windows virus scanners open each new file,
 * and a rename or removal meanwhile fails with EPERM, EBUSY or EACCES.
 */
import { rename, rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

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
