/** @file Tries an encoder: does it answer, how fast is it, and is what it makes what it was given? */
import type { EncoderTrial } from '@shared/engine.ts'
import type { Planes } from '../pixels/planes.ts'

/** What is tried; the real one is in `jobs/probe.ts`. */
export interface TrialPort {
  /** Whether there is one at all. */
  isThere: () => Promise<boolean>
  /** Encodes all pictures. Resolves to the milliseconds that it took. */
  encode: (pictures: readonly Planes[]) => Promise<number>
  /** What was encoded, decoded, in order. */
  decoded: () => AsyncIterable<Planes>
}

/** An encoder and a decoder that have not come so far by then are not waited for. */
const patienceMs = 12_000
/** Of 255, the mean over a picture. A good encoder loses 2 of the test pictures at most; a picture's neighbour is 22 away. */
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

/** The mean difference of the plane that differs most, at every 37th pixel. */
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
