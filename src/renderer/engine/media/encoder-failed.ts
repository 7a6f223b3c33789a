/** @file Telling that an encoder failed from everything else that goes wrong. */
import type { Encoder } from '@shared/engine.ts'

export class EncoderFailed extends Error {}

/** A graphics chip that has not answered by then hangs. The processor's encoder may be slow, and never hangs. */
const patienceMs = 10_000

/** The same promise, with what goes wrong as `EncoderFailed`; a graphics chip's silence too. */
export async function insistOn<T>(encoder: Encoder, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_resolve, reject) => {
    if (encoder === 'hardware') timer = setTimeout(reject, patienceMs, new Error('it does not answer'))
  })
  try {
    return await Promise.race([work, silence])
  } catch (error) {
    throw new EncoderFailed(error instanceof Error ? error.message : String(error), { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
