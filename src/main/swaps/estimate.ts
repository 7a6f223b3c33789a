/** @file Estimates a swap's duration, by service: from finished swaps, or from the measurement of this computer. */
import type { Measurement } from '@shared/engine/benchmark.ts'
import type { ModelTimes } from '@shared/engine/engine.ts'
import type { Estimate } from '@shared/tasks/estimated.ts'
import { referencePixels, workMs, workOf } from '../engine/benchmark/video-work.ts'
import type { Timing, Timings } from './store/tables.ts'
import type { Range } from '@shared/people/people.ts'
import { embeddedProfileId, type Expected, type Task, type VideoMedia } from '@shared/tasks/task.ts'

const median = (values: readonly number[]): number | null => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}

/** Percentile `at` (0–1) of sorted values, linearly interpolated. */
function percentile(sorted: readonly number[], at: number): number {
  const place = at * (sorted.length - 1)
  const low = sorted[Math.floor(place)] ?? 0
  const high = sorted[Math.ceil(place)] ?? low
  return low + (high - low) * (place - Math.floor(place))
}

const ratesOf = (timings: readonly Timing[]): number[] =>
  timings.filter((timing) => timing.videoMs > 0).map((timing) => timing.tookMs / workMs(timing))

/** Estimated duration of a swap of `video`, in ms; null without timings. */
export function estimateMs(timings: readonly Timing[], video: { videoMs: number; pixels: number }): number | null {
  const rate = median(ratesOf(timings))
  return rate === null ? null : Math.round(rate * workMs(video))
}

/**
 * Like `estimateMs`, with a range: the 20th to the 80th percentile of earlier swaps. The range is wider with fewer
 * swaps. In ms; null without timings.
 */
function estimateSpread(
  timings: readonly Timing[],
  video: { videoMs: number; pixels: number },
): { ms: number; lowMs: number; highMs: number } | null {
  const rates = ratesOf(timings).sort((a, b) => a - b)
  if (rates.length === 0) return null
  const work = workMs(video)
  const doubt = 1 / rates.length
  return {
    ms: Math.round(percentile(rates, 0.5) * work),
    lowMs: Math.round(percentile(rates, 0.2) * work * (1 - 0.4 * doubt)),
    highMs: Math.round(percentile(rates, 0.8) * work * (1 + 0.8 * doubt)),
  }
}

/** What a model adds to a swap. */
interface ModelWork {
  /** Of a run, as checked. */
  runMs: ModelTimes
  /** How long all replaced faces together are seen, in ms; null: unknown, as if one was always seen. */
  seenMs: number | null
}

/** `builtInMs`, and a run of the model for each face on each frame; null if the model can't run. */
export function modelEstimate(
  builtInMs: number,
  { videoMs, fps }: { videoMs: number; fps: number },
  { runMs, seenMs }: ModelWork,
): Estimate | null {
  const runs = ((seenMs ?? videoMs) * fps) / 1000
  const on = (each: number | null): number | null => (each === null ? null : Math.round(builtInMs + runs * each))
  const model = { chip: on(runMs.chip), processor: on(runMs.processor) }
  const ms = Math.min(model.chip ?? Infinity, model.processor ?? Infinity)
  return ms === Infinity ? null : { ms, model }
}

/** Median frames a second of recent swaps, scaled to 720p; null without timings. */
export function measuredFps(timings: readonly Timing[]): number | null {
  const rates = timings.flatMap((timing) =>
    timing.frames !== null && timing.tookMs > 0
      ? [(timing.frames * workMs(timing)) / timing.videoMs / timing.tookMs]
      : [],
  )
  const rate = median(rates)
  return rate === null ? null : Math.round(rate * 1000)
}

/** Converts a measurement to the timing of a swap of one second. */
export const timingOf = ({ fps }: Measurement): Timing => ({
  frames: 25,
  videoMs: 1000,
  pixels: referencePixels,
  tookMs: (25 * 1000) / fps,
})

/** Max number of recent swaps used per service: after three that are faster, the next is expected to be. */
const maxTimings = 5

export class DurationEstimator {
  /** By profile id, newest first. */
  private readonly timings = new Map<string, Timing[]>()

  /** @param measured returns the measurement of this computer, null before one exists */
  constructor(
    private readonly stored: Timings,
    private readonly measured: () => Measurement | null,
  ) {}

  /** Call when a swap of this profile has ended; drops its cached timings. */
  learned(profileId: string): void {
    this.timings.delete(profileId)
  }

  /** Expected duration of a sent swap; null when there are no timings for its service, or with a model. */
  of(task: Task): Expected | null {
    if (task.profileId === embeddedProfileId && task.options.method !== null) return null
    const since = task.events.findLast(({ what }) => what === 'sent' || what === 'id-given')?.at
    const work = workOf(task.video, task.range)
    const spread = work && estimateSpread(this.timingsOf(task.profileId), work)
    return since === undefined || spread === null ? null : { since, ...spread }
  }

  /**
   * Returns null when there are no timings (without a model), when the video's size is unknown (never opened here), or
   * when the model can't run.
   * @param model null: the built-in method
   */
  estimate(
    video: VideoMedia,
    profileId: string,
    range: Range | null = null,
    model: ModelWork | null = null,
  ): Estimate | null {
    const work = workOf(video, range)
    const ms = work && estimateMs(this.timingsOf(profileId), work)
    if (model === null) return ms === null ? null : { ms }
    // Without timings, the model's time alone: it is most of it.
    return work === null || video.fps === null ? null : modelEstimate(ms ?? 0, { ...work, fps: video.fps }, model)
  }

  /** Frames a second of this computer at 720p, from its recent swaps or the measurement; null without either. */
  get fps(): number | null {
    return measuredFps(this.timingsOf(embeddedProfileId))
  }

  private timingsOf(profileId: string): Timing[] {
    const timings = this.timings.get(profileId) ?? this.stored.newest(profileId, maxTimings)
    this.timings.set(profileId, timings)
    const measured = profileId === embeddedProfileId ? this.measured() : null
    // The measurement is a fallback: timings of real swaps are more accurate.
    return timings.length === 0 && measured ? [timingOf(measured)] : timings
  }
}
