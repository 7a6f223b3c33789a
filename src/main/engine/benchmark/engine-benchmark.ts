/**
 * @file Measurement of this computer, done while Mien is idle or when the user asks. All engine requests pass through
 * here, so that any of them aborts a measurement at once; it is repeated later.
 */
import type {
  Encoder,
  FaceInspection,
  FaceViews,
  ModelCheck,
  ReRenderResult,
  SwapResult,
  VideoInspection,
} from '@shared/engine/engine.ts'
import type { ReRenderInput, EnginePort, SwapJob } from '../host/engine-host.ts'
import type { ModelSpec } from '@shared/engine/models.ts'
import type { PeopleScan } from '@shared/people/people.ts'
import { toErrorBody, type ErrorBody } from '@shared/errors.ts'
import type { BenchmarkView, Measurement } from '@shared/engine/benchmark.ts'
import type { Inspector } from '../../media/intake.ts'
import type { PeopleScanner } from '../../media/people/people-service.ts'
import { speedsOf } from './video-work.ts'
import { measure, type MeasuredEngine, type MeasureOptions, computerKey, withoutHardware } from './measurement.ts'

/** The engine, for the benchmark and for all other requests. */
export interface SharedEngine extends MeasuredEngine, Inspector, PeopleScanner {
  swap: (job: Parameters<MeasuredEngine['swap']>[0] & Partial<SwapJob>) => Promise<SwapResult>
  reRender: (job: ReRenderInput) => Promise<ReRenderResult>
  extractFrame: (path: string, time: number, dir: string) => Promise<void>
  checkModel: (path: string, spec: ModelSpec) => Promise<ModelCheck>
  /** Frees the engine's memory if it is idle. */
  rest: () => void
}

export interface EngineBenchmarkDeps extends Omit<MeasureOptions, 'engine'> {
  engine: SharedEngine
  stored: () => Measurement | null
  store: (measured: Measurement) => void
  log: (message: string, error?: unknown) => void
}

/** Idle time of the engine before a measurement, in ms. */
const usualQuietMs = 4000

export class EngineBenchmark implements EnginePort, Inspector, PeopleScanner {
  private readonly listeners = new Set<() => void>()
  private quietMs = usualQuietMs
  private wanted = false
  private error: ErrorBody | null = null
  private measuring: AbortController | null = null
  private timer: NodeJS.Timeout | undefined
  /** Open requests other than the measurement's, and how many of them are swaps. */
  private open = 0
  private swaps = 0

  constructor(private readonly deps: EngineBenchmarkDeps) {}

  /** The measurement, if it matches this computer and this version; else null. */
  get measured(): Measurement | null {
    const stored = this.deps.stored()
    return stored?.key === computerKey(this.deps.facts) ? stored : null
  }

  get view(): BenchmarkView {
    const { measured, error } = this
    const state = this.measuring ? 'measuring' : this.swaps > 0 ? 'busy' : this.wanted ? 'waiting' : 'idle'
    return { state, measured, error, speeds: measured ? speedsOf(measured.fps) : [] }
  }

  /** Whether a swap is running here; paused and queued ones don't count. */
  get isSwapping(): boolean {
    return this.swaps > 0
  }

  onChanged(listener: () => void): void {
    this.listeners.add(listener)
  }

  /** Measures once the engine has been idle for `quietMs`, unless there is a valid measurement. */
  start(quietMs = usualQuietMs): void {
    this.quietMs = quietMs
    if (this.measured === null) this.want()
  }

  /** Measures now, or after the open requests. */
  again(): void {
    this.error = null
    if (this.open === 0) this.begin()
    else this.want()
  }

  /** Aborts a measurement; it isn't repeated until requested. */
  stop(): void {
    this.wanted = false
    clearTimeout(this.timer)
    this.measuring?.abort()
    this.changed()
  }

  dispose(): void {
    this.listeners.clear()
    this.stop()
  }

  inspectFace(...face: Parameters<Inspector['inspectFace']>): Promise<FaceInspection> {
    return this.use(() => this.deps.engine.inspectFace(...face))
  }

  faceViews(...video: Parameters<Inspector['faceViews']>): Promise<FaceViews> {
    return this.use(() => this.deps.engine.faceViews(...video))
  }

  inspectVideo(path: string, dir: string, signal?: AbortSignal): Promise<VideoInspection> {
    return this.use(() => this.deps.engine.inspectVideo(path, dir, signal))
  }

  async swap(job: SwapJob): Promise<SwapResult> {
    const mayUseChip = job.options.encoder === 'automatic'
    const encoder: Encoder = (mayUseChip && this.measured?.encoder) || 'software'
    const result = await this.useForSwap(() => this.deps.engine.swap({ ...job, encoder }))
    const { measured } = this
    if (result.fellBack === 'failed' && measured) this.deps.store(withoutHardware(measured))
    return result
  }

  reRender(job: ReRenderInput): Promise<ReRenderResult> {
    return this.useForSwap(() => this.deps.engine.reRender(job))
  }

  extractFrame(path: string, time: number, dir: string): Promise<void> {
    return this.use(() => this.deps.engine.extractFrame(path, time, dir))
  }

  scanPeople(...scan: Parameters<PeopleScanner['scanPeople']>): Promise<PeopleScan> {
    return this.use(() => this.deps.engine.scanPeople(...scan))
  }

  pictureFace(...picture: Parameters<PeopleScanner['pictureFace']>): Promise<void> {
    return this.use(() => this.deps.engine.pictureFace(...picture))
  }

  checkModel(path: string, spec: ModelSpec): Promise<ModelCheck> {
    return this.use(() => this.deps.engine.checkModel(path, spec))
  }

  private async useForSwap<T>(ask: () => Promise<T>): Promise<T> {
    this.swaps += 1
    this.changed()
    try {
      return await this.use(ask)
    } finally {
      this.swaps -= 1
      this.changed()
    }
  }

  private async use<T>(ask: () => Promise<T>): Promise<T> {
    this.open += 1
    clearTimeout(this.timer)
    this.measuring?.abort()
    try {
      return await ask()
    } finally {
      this.open -= 1
      this.wait()
    }
  }

  private want(): void {
    this.wanted = true
    this.wait()
    this.changed()
  }

  private wait(): void {
    clearTimeout(this.timer)
    if (!this.wanted || this.open > 0 || this.measuring) return
    this.timer = setTimeout(() => {
      this.begin()
    }, this.quietMs)
  }

  private begin(): void {
    if (this.measuring) return
    clearTimeout(this.timer)
    this.wanted = true
    this.measuring = new AbortController()
    this.changed()
    void this.run(this.measuring.signal)
  }

  private async run(signal: AbortSignal): Promise<void> {
    const { engine, store, log } = this.deps
    try {
      store(await measure(this.deps, signal))
      this.wanted = false
      this.error = null
    } catch (error) {
      // A measurement aborted for the user is repeated; a failed one isn't.
      if (!signal.aborted) {
        this.wanted = false
        this.error = toErrorBody(error)
        log('Measuring this computer failed', error)
      }
    }
    this.measuring = null
    if (this.open === 0) engine.rest()
    this.wait()
    this.changed()
  }

  private changed(): void {
    for (const listener of this.listeners) listener()
  }
}
