/** @file Expected durations of swaps by service, from finished swaps or from the measurement of this computer. */
import type { Measurement } from '@shared/engine/benchmark.ts'
import type { Estimate } from '@shared/tasks/estimated.ts'
import type { Range } from '@shared/people/people.ts'
import { embeddedProfileId, type Expected, type Task, type VideoMedia } from '@shared/tasks/task.ts'
import { estimateMs, estimateSpread, measuredFps, modelEstimate, timingOf, type ModelWork } from './estimate.ts'
import { workOf } from './rules/work.ts'
import type { Timing, Timings } from './store/tables.ts'

/** Max number of recent swaps used per service. */
const maxTimings = 20

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

  /** Frames a second of this computer at 720p, from its last 10 swaps or the measurement; null without either. */
  get fps(): number | null {
    return measuredFps(this.timingsOf(embeddedProfileId).slice(0, 10))
  }

  private timingsOf(profileId: string): Timing[] {
    const timings = this.timings.get(profileId) ?? this.stored.newest(profileId, maxTimings)
    this.timings.set(profileId, timings)
    const measured = profileId === embeddedProfileId ? this.measured() : null
    // The measurement is a fallback: timings of real swaps are more accurate.
    return timings.length === 0 && measured ? [timingOf(measured)] : timings
  }
}
