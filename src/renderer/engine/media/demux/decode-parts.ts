/** @file Decodes the frames of a swap's result, each with the part of the video that it is in. */
import type { InputVideoTrack } from 'mediabunny'
import { decodeFrames, type DecodedFrame } from './decode-frames.ts'
import type { SwapPlan } from '../range/swap-plan.ts'

export interface PlannedFrame extends DecodedFrame {
  /** Number of the part of the plan; null for a frame that isn't swapped. */
  part: number | null
}

/** Seconds between two parts up to which decoding continues, instead of starting again at a key frame. */
const nearby = 1

/** @param from time in seconds of the first frame; null for the first one of the result */
export async function* decodeParts(
  video: InputVideoTrack,
  plan: SwapPlan,
  from: number | null,
): AsyncGenerator<PlannedFrame, void> {
  if (!plan.drops) {
    for await (const frame of decodeFrames(video, from)) yield { ...frame, part: plan.partAt(frame.timestamp) }
    return
  }
  for (const run of runsOf(plan)) {
    if (from !== null && from > run.last + 1e-6) continue
    for await (const frame of decodeFrames(video, Math.max(from ?? -Infinity, run.from))) {
      if (frame.timestamp > run.last + 1e-6) break
      const part = plan.partAt(frame.timestamp)
      if (part !== null) yield { ...frame, part }
    }
  }
}

function runsOf({ parts }: SwapPlan): { from: number; last: number }[] {
  const runs: { from: number; last: number }[] = []
  for (const { from, last } of parts) {
    const run = runs.at(-1)
    if (run && from - run.last < nearby) run.last = last
    else runs.push({ from, last })
  }
  return runs
}
