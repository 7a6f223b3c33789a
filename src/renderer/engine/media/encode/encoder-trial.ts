/** @file Tests an encoder: whether it responds, how fast it is, and whether its output matches the input. */
import type { EncoderTrial } from '@shared/engine/encoder.ts'
import type { Planes } from '../pixels/planes.ts'

/** The encoder under test. The real one is in `jobs/inspect/probe.ts`. */
export interface TrialPort {
  /** True if the encoder exists. */
  isThere: () => Promise<boolean>
  /** Encodes all pictures. Resolves to the time it took, in milliseconds. */
  encode: (pictures: readonly Planes[]) => Promise<number>
  /** Decodes the encoded pictures, in order. */
  decoded: () => AsyncIterable<Planes>
}

/** Timeout for the whole trial, encoding and decoding. */
const patienceMs = 12_000
/** Maximum mean difference, in levels of 255. Good encoders stay within 2; consecutive test pictures differ by 22. */
const maxLost = 8

export async function tryEncoder(port: TrialPort, pictures: readonly Planes[]): Promise<EncoderTrial> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const inactivity = new Promise<EncoderTrial>((resolve) => {
    timer = setTimeout(resolve, patienceMs, { fps: null, problem: 'silent' })
  })
  try {
    return await Promise.race([trial(port, pictures), inactivity])
  } catch {
    return { fps: null, problem: 'failed' }
  } finally {
    clearTimeout(timer)
  }
}

async function trial(port: TrialPort, pictures: readonly Planes[]): Promise<EncoderTrial> {
  if (!(await port.isThere())) return { fps: null, problem: 'absent' }
  const ms = await port.encode(pictures)
  let frames = 0
  for await (const made of port.decoded()) {
    const sent = pictures[frames]
    if (!sent || lost(sent, made) > maxLost) return { fps: null, problem: 'wrong' }
    frames += 1
  }
  if (frames !== pictures.length) return { fps: null, problem: 'wrong' }
  return { fps: Math.round((frames * 10_000) / ms) / 10, problem: null }
}

/** Mean absolute difference of the worst plane, sampled at every 37th pixel; Infinity if the size differs. */
function lost(sent: Planes, made: Planes): number {
  if (sent.width !== made.width || sent.height !== made.height) return Infinity
  const step = 37
  const planes = (['y', 'u', 'v'] as const).map((plane) => {
    let sum = 0
    for (let at = 0; at < sent[plane].length; at += step)
      sum += Math.abs((sent[plane][at] ?? 0) - (made[plane][at] ?? 0))
    return (sum * step) / sent[plane].length
  })
  return Math.max(...planes)
}
