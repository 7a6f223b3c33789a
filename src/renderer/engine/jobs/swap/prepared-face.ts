/** @file Prepares what a swap draws: first from the face picture alone, then with the video. */
import type { RanOn } from '@shared/engine/engine.ts'
import type { MediaInput } from '../../media/demux/media-input.ts'
import type { DrawnFace } from '../../render/open-source.ts'
import { prepareSource } from '../../source/prepare-source.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { usualFace, wearsGlasses, type SeenPerson } from './first-frames.ts'
import type { JobContext } from '../job-context.ts'

export interface PreparedFace {
  /** For one thread: every thread that draws needs another. */
  open: () => DrawnFace
  /** How models ran on all frames so far; null without models. */
  ranOn: () => Promise<RanOn | null>
  /** The swap continues one whose models ran like this. */
  continue: (earlier: RanOn | null) => void
  /** The swap has ended. @param done false if it failed or was cancelled */
  close: (done: boolean) => void
}

/** How models ran for all faces; null without models. */
export async function joinRanOn(faces: readonly PreparedFace[]): Promise<RanOn | null> {
  const all = (await Promise.all(faces.map((face) => face.ranOn()))).filter((one) => one !== null)
  if (all.length === 0) return null
  return {
    backends: [...new Set(all.flatMap(({ backends }) => backends))],
    fellBack: all.find(({ fellBack }) => fellBack !== null)?.fellBack ?? null,
  }
}

/**
 * Second step of the preparation.
 * @param media null: a picture, whose pixels and landmarks are upright
 */
export type FinishFace = (media: MediaInput | null, seen: SeenPerson) => Promise<PreparedFace>

/**
 * For the built-in method.
 * @param keep what stays of the person in the video: glasses over other glasses would show two rims
 * @throws as `prepareSource`
 */
export async function prepareMesh(
  urls: readonly string[],
  keep: SwapOptions['keep'],
  context: JobContext,
): Promise<FinishFace> {
  const source = await prepareSource(urls, context.analyst, context.signal)
  return async (media, seen) => {
    const mayClash = source.cut !== source.bare && keep.includes('glasses')
    const cut = mayClash && (await wearsGlasses(seen.frames, media, context)) ? source.bare : source.cut
    const person = usualFace(seen, cut.shape)
    return {
      open: () => ({ kind: 'mesh', cut, person }),
      ranOn: () => Promise.resolve(null),
      continue: () => undefined,
      close: () => undefined,
    }
  }
}
