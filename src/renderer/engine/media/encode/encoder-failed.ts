/** @file Distinguishes encoder failures, which allow a fallback, from all other errors. */
import { AwakeTimeout } from '@shared/awake-timeout.ts'
import type { Encoder } from '@shared/engine/engine.ts'

export class EncoderFailed extends Error {}

/** Timeout for the hardware encoder. The software encoder may be slow but never hangs. */
const patienceMs = 10_000

/**
 * Awaits `work`, with a timeout for the hardware encoder that doesn't count the computer's sleep.
 * @throws EncoderFailed for any error of `work`, and on timeout
 */
export async function withEncoderTimeout<T>(encoder: Encoder, work: Promise<T>): Promise<T> {
  const { promise: inactivity, reject } = Promise.withResolvers<never>()
  const timeout = new AwakeTimeout(() => {
    reject(new Error('it does not answer'))
  })
  if (encoder === 'hardware') timeout.start(patienceMs)
  try {
    return await Promise.race([work, inactivity])
  } catch (error) {
    throw new EncoderFailed(error instanceof Error ? error.message : String(error), { cause: error })
  } finally {
    timeout.stop()
  }
}
