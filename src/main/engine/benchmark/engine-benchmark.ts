/**
 * @file Measurement of this computer, done while Mien is idle or when the user asks. Any other request to the engine
 * aborts it at once; it is repeated later.
 */
import type { EngineRequest, SwapResult } from '@shared/engine/engine.ts'
import type { Encoder } from '@shared/engine/encoder.ts'
import { toErrorBody, type ErrorBody } from '@shared/errors.ts'
import type { BenchmarkView, Measurement } from '@shared/engine/benchmark.ts'
import type { EnginePort, SwapJob } from '../host/engine-host.ts'
import { speedsOf } from './video-work.ts'
import { measure, type MeasureOptions, computerKey, withoutHardware } from './measurement.ts'

interface EngineBenchmarkDeps extends MeasureOptions {
  stored: () => Measurement | null
  store: (measured: Measurement) => void
  log: (message: string, error?: unknown) => void
}

/** Idle time of the engine before a measurement, in ms. */
const usualQuietMs = 4000

export class EngineBenchmark implements EnginePort {
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

  /**
   * Call when a request to the engine begins: aborts a measurement at once, unless the request is its own. Returns what
   * to call when the request has ended.
   */
  begun(kind: EngineRequest['kind'], signal: AbortSignal | undefined): () => void {
    if (signal !== undefined && signal === this.measuring?.signal) return () => undefined
    const swaps = kind === 'swap' || kind === 're-render' ? 1 : 0
    this.open += 1
    this.swaps += swaps
    clearTimeout(this.timer)
    this.measuring?.abort()
    if (swaps > 0) this.changed()
    return () => {
      this.open -= 1
      this.swaps -= swaps
      this.wait()
      if (swaps > 0) this.changed()
    }
  }

  /** Swaps with the encoder of the measurement. A hardware encoder that fails isn't used for later swaps. */
  async swap(job: SwapJob): Promise<SwapResult> {
    const mayUseChip = job.options.encoder === 'automatic'
    const encoder: Encoder = (mayUseChip && this.measured?.encoder) || 'software'
    const result = await this.deps.engine.swap({ ...job, encoder })
    const { measured } = this
    if (result.fellBack === 'failed' && measured) this.deps.store(withoutHardware(measured))
    return result
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
