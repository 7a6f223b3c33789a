/** @file Which encoder a swap gets: the one that was asked for, or the processor's where the graphics chip's does not do. */
import type { Encoder, EncoderChoice } from '@shared/engine.ts'
import { EncoderFailed } from '../media/encode/encoder-failed.ts'

const software: readonly EncoderChoice[] = [
  { encoder: 'software', fellBack: null },
  { encoder: 'software', fellBack: 'failed' },
  { encoder: 'software', fellBack: 'refused' },
]

interface Ports<T> {
  /** Whether the graphics chip's encoder takes frames of this size. */
  fits: () => Promise<boolean>
  /** Whether an earlier run left something that was made in this way. */
  isBegun: (way: EncoderChoice) => Promise<boolean>
  run: (way: EncoderChoice) => Promise<T>
}

/**
 * Goes on in the way in which an earlier run began, since the work of two encoders cannot be joined; only what a graphics
 * chip began is begun anew where it is no longer wanted.
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
