/** @file Waits and retries of a worker: after the database or the storage couldn't be reached, or the engine crashed. */
import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseUnavailable } from '../database/database.ts'
import type { SwapResult } from '@shared/engine/engine.ts'
import { MienError } from '@shared/errors.ts'

/** Resolves after `ms`, or when `signal` aborts. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined)

/** A delay that can be ended early, even before it begins. */
export class Nap {
  #end = new AbortController()

  wake(): void {
    this.#end.abort()
  }

  /** Resolves after `ms`, when woken (including since the last call), or when `signal` aborts. */
  async take(ms: number, signal: AbortSignal): Promise<void> {
    await wait(ms, AbortSignal.any([this.#end.signal, signal]))
    if (this.#end.signal.aborted) this.#end = new AbortController()
  }
}

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
      await wait(waitMs, signal)
    }
  }
}

/** Max engine crashes in a row without progress. */
const maxCrashes = 3

const crashCodes: readonly string[] = ['engine-crashed', 'engine-failed']

/**
 * Retries when the engine crashed or failed unexpectedly. Gives up after `maxCrashes` without progress.
 * @param savedMs how far the swap is saved (ms of the video)
 */
export async function retryAfterCrash(
  ask: () => Promise<SwapResult>,
  savedMs: () => number,
  signal: AbortSignal,
  log: (message: string) => void,
): Promise<SwapResult> {
  let furthest = -1
  for (let crashes = 1; ; crashes += 1) {
    try {
      return await ask()
    } catch (error) {
      const crashed = error instanceof MienError && crashCodes.includes(error.code)
      const saved = savedMs()
      if (saved > furthest) crashes = 1
      furthest = Math.max(furthest, saved)
      if (!crashed || signal.aborted || crashes >= maxCrashes) throw error
      log(`the engine failed (${error.code}) and continues from what it saved`)
    }
  }
}
