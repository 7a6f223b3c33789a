/** @file How long swaps are likely to take, by service: learned from those that ended, or measured for this computer. */
import type { Measurement } from '@shared/machine.ts'
import { embeddedProfileId, type Expected, type Task, type VideoMedia } from '@shared/task.ts'
import { estimateMs, estimateSpread, measuredFps, timingOf } from './estimate.ts'
import type { TaskStore, Timing } from './store/task-store.ts'

/** Of each service, the newest swaps that are asked. */
const maxTimings = 20

/** Null: not known. */
const sizeOf = ({ durationMs, width, height }: VideoMedia): { videoMs: number; pixels: number } | null =>
  durationMs === null || width === null || height === null ? null : { videoMs: durationMs, pixels: width * height }

export class DurationEstimator {
  private readonly store: Pick<TaskStore, 'timings'>
  private readonly measured: () => Measurement | null
  /** By service, the newest first. */
  private readonly timings = new Map<string, Timing[]>()

  /** @param measured what was measured about this computer */
  constructor(store: Pick<TaskStore, 'timings'>, measured: () => Measurement | null) {
    this.store = store
    this.measured = measured
  }

  /** Another swap of this service has ended. */
  learned(profileId: string): void {
    this.timings.delete(profileId)
  }

  /** What a swap that was sent is likely to take; null when nothing was learned from its service yet. */
  of(task: Task): Expected | null {
    const since = task.events.findLast(({ what }) => what === 'sent' || what === 'id-given')?.at
    const work = sizeOf(task.video)
    const spread = work && estimateSpread(this.timingsOf(task.profileId), work)
    return since === undefined || spread === null ? null : { since, ...spread }
  }

  /** Null also for a video that was never opened here. */
  estimate(video: VideoMedia, profileId: string): { ms: number } | null {
    const work = sizeOf(video)
    const ms = work && estimateMs(this.timingsOf(profileId), work)
    return ms === null ? null : { ms }
  }

  /** Frames a second reached lately by this computer, or measured; null before either. */
  get fps(): number | null {
    return measuredFps(this.timingsOf(embeddedProfileId).slice(0, 10))
  }

  private timingsOf(profileId: string): Timing[] {
    const timings = this.timings.get(profileId) ?? this.store.timings(profileId, maxTimings)
    this.timings.set(profileId, timings)
    const measured = profileId === embeddedProfileId ? this.measured() : null
    // Until there are swaps, which know better.
    return timings.length === 0 && measured ? [timingOf(measured)] : timings
  }
}
