/** @file Asks the engine again after a crash. It goes on after the last segment. */
import type { SwapResult } from '@shared/engine/engine.ts'
import { MienError } from '@shared/errors.ts'

/** Max engine crashes in a row without progress. */
const maxCrashes = 3

const crashCodes: readonly string[] = ['engine-crashed', 'engine-failed']

interface RetryDeps {
  /** How far the swap is saved (ms of the video). */
  savedMs: () => number
  signal: AbortSignal
  log: (message: string) => void
}

/** Retries when the engine crashed or failed unexpectedly. Gives up after `maxCrashes` without progress. */
export async function retryAfterCrash(
  ask: () => Promise<SwapResult>,
  { savedMs, signal, log }: RetryDeps,
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
