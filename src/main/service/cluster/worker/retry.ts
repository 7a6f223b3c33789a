/** @file Retries while the database or the storage can't be reached. */
import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseUnavailable } from '../database/database.ts'

/** The storage can't be used, for any reason. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable'
}

export const isUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || error instanceof StorageUnavailable

const firstWaitMs = 250
const maxWaitMs = 5000

/** Retries `work` for at most `maxMs` after its first failure. Then rejects with the last error. */
export async function retryUnavailable<T>(work: () => Promise<T>, maxMs: number, signal: AbortSignal): Promise<T> {
  let until = Infinity
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    try {
      return await work()
    } catch (error) {
      const now = performance.now()
      until = Math.min(until, now + maxMs)
      if (!isUnavailable(error) || signal.aborted || now + waitMs > until) throw error
      await wait(waitMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
