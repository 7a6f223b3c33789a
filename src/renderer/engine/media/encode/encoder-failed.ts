/** @file Telling that an encoder failed from everything else that goes wrong. */
import { AwakeTimeout } from '@shared/awake-timeout.ts'
import type { Encoder } from '@shared/engine.ts'

export class EncoderFailed extends Error {}

/** A graphics chip that has not answered by then hangs. The processor's encoder may be slow, and never hangs. */
const patienceMs = 10_000

/** The same promise, with what goes wrong as `EncoderFailed`; a graphics chip's inactivity too, but not the computer's sleep. */
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
