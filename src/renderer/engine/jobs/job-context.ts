/** @file What every job gets, and the progress that it reports. */
import type { EngineEvent, EngineRequest, EngineProgress } from '@shared/engine/engine.ts'
import type { AnalysisMethods } from '../face/analyst.ts'
import type { Caller } from '../common/rpc.ts'

/** Dependencies of a job. */
export interface JobContext {
  analyst: Caller<AnalysisMethods>
  emit: (event: EngineEvent) => void
  signal: AbortSignal
}

export type RequestOf<K extends EngineRequest['kind']> = Extract<EngineRequest, { kind: K }>

const reportEveryMs = 250
/** Speed is averaged over 8 s. The ETA uses the last minute, so that a short slowdown doesn't change it. */
const speedMs = 8000
const leftMs = 60_000
const markEveryMs = 250
/** Frames to ignore at the start of a run: models and encoder are still warming up. */
const warmUpFrames = 8
/** Minimum time measured before a speed is reported. */
const minMs = 1000

/** Tracks progress and reports it at most four times a second. */
export class Progress {
  #marks: { at: number; frames: number }[] = []
  #begunAt = 0
  #state: EngineProgress = {
    stage: 'preparing',
    footage: null,
    framesDone: 0,
    framesTotal: null,
    framesSwapped: 0,
    workFps: null,
    etaMs: null,
    previewFrame: null,
    savedMs: 0,
  }
  #reportedAt = -Infinity

  constructor(private readonly report: (progress: EngineProgress) => void) {}

  /** Starts after the frames of an earlier run (0 without one). Speed counts only frames from here on. */
  begin(framesDone: number, savedMs: number): void {
    this.#begunAt = framesDone
    this.#marks = []
    this.update({ stage: 'swapping', framesDone, savedMs, workFps: null, etaMs: null })
  }

  /** Merges a change. A new stage or preview is reported immediately. */
  update(change: Partial<EngineProgress>): void {
    const now = performance.now()
    const { stage, previewFrame } = { ...this.#state, ...change }
    const urgent = stage !== this.#state.stage || previewFrame !== this.#state.previewFrame
    this.#state = { ...this.#state, ...change }
    if (change.framesDone !== undefined) this.#measure(now, change.framesDone)
    if (!urgent && now - this.#reportedAt < reportEveryMs) return
    this.#reportedAt = now
    this.report(this.#state)
  }

  #measure(now: number, frames: number): void {
    if (frames < this.#begunAt + warmUpFrames) return
    const [first] = this.#marks
    if (now - (this.#marks.at(-1)?.at ?? -Infinity) >= markEveryMs) this.#marks.push({ at: now, frames })
    while ((this.#marks[1]?.at ?? now) < now - leftMs) this.#marks.shift()
    if (!first || now - first.at < minMs) return
    const over = (spanMs: number): number => {
      const from = this.#marks.findLast(({ at }) => at <= now - spanMs) ?? first
      return ((frames - from.frames) * 1000) / (now - from.at)
    }
    const left = this.#state.framesTotal === null ? null : Math.max(0, this.#state.framesTotal - frames)
    const pace = over(leftMs)
    this.#state.workFps = Math.round(over(speedMs) * 10) / 10
    this.#state.etaMs = left === null || pace <= 0 ? null : Math.round((left / pace) * 1000)
  }
}
