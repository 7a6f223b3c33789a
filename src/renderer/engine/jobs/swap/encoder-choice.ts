/** @file Runs a swap with the requested encoder and falls back from hardware to software. */
import type { Encoder, EncoderChoice } from '@shared/engine/engine.ts'
import { EncoderFailed } from '../../media/encode/segment-encoder.ts'

const software: readonly EncoderChoice[] = [
  { encoder: 'software', fellBack: null },
  { encoder: 'software', fellBack: 'failed' },
  { encoder: 'software', fellBack: 'refused' },
]

interface Ports<T> {
  /** True if the hardware encoder supports this frame size. */
  fits: () => Promise<boolean>
  /** True if an earlier run saved segments with this encoder choice. */
  isBegun: (way: EncoderChoice) => Promise<boolean>
  run: (way: EncoderChoice) => Promise<T>
}

/**
 * Resumes with the encoder choice of an earlier run, because segments of two encoders cannot be joined. A run that used
 * hardware starts over if software is now requested.
 * @throws the error of `run`; a hardware `EncoderFailed` is retried in software first
 */
export async function encodeWithFallback<T>(
  wanted: Encoder,
  { fits, isBegun, run }: Ports<T>,
): Promise<T & EncoderChoice> {
  const first: EncoderChoice = { encoder: wanted, fellBack: null }
  const ways = wanted === 'hardware' ? [first, ...software] : software
  let way: EncoderChoice | null = null
  for (const each of ways) if (way === null && (await isBegun(each))) way = each
  way ??= wanted === 'software' || (await fits()) ? first : { encoder: 'software', fellBack: 'refused' }
  try {
    return { ...(await run(way)), ...way }
  } catch (error) {
    if (way.encoder === 'software' || !(error instanceof EncoderFailed)) throw error
    console.warn(`the graphics chip's encoder failed: ${error.message}`)
    const again: EncoderChoice = { encoder: 'software', fellBack: 'failed' }
    return { ...(await run(again)), ...again }
  }
}
