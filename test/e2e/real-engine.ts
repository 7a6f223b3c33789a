/**
 * @file The real engine, without the app, and a folder for what it makes. It is that of the process that all files of a
 * test worker share (warm.ts).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultOptions, type SwapOptions } from '../../src/shared/options/default-options.ts'
import type { EngineProgress, SwapResult } from '../../src/shared/engine/engine.ts'
import type { Step } from '../bench/lib/engine-steps.ts'
import { sample } from '../fixtures/clip.ts'
import { cancelStep, killWarm, runStep } from './warm.ts'

type Swap = Partial<Omit<Step, 'options' | 'range'>> & { options?: Partial<SwapOptions>; range?: object }

export class RealEngine {
  readonly folder = mkdtempSync(join(tmpdir(), 'mien-engine-'))
  /** With `told`, until a kill or `cancel`. */
  onProgress: ((progress: EngineProgress) => void) | null = null
  #dirs = 0

  readonly at = (...names: string[]): string => join(this.folder, ...names)

  newDir(): string {
    return this.at(`run-${String((this.#dirs += 1))}`)
  }

  /** @returns `result` or `error`; null if the engine was killed */
  run(step: object): Promise<unknown> {
    // A wrong one fails in the engine.
    return runStep(step as Step, (progress) => this.onProgress?.(progress))
  }

  /** @returns undefined if the engine was killed @throws Error on an error */
  async ask<T>(step: object): Promise<T | undefined> {
    const outcome = (await this.run(step)) as { result?: T } | null
    if (outcome && outcome.result === undefined) throw new Error(JSON.stringify(outcome))
    return outcome?.result
  }

  /** Swaps the sample face. Throws on an error; without `result`, the engine was killed. */
  async swap({ options, dir = this.newDir(), ...step }: Swap) {
    const asked = { kind: 'swap', face: sample.face, dir, options: { ...defaultOptions, ...options }, ...step }
    return { dir, file: join(dir, 'output.mp4'), result: await this.ask<SwapResult>(asked) }
  }

  /** The same, killed as soon as so much of it is saved. */
  swapUntilSaved(swap: Swap, ms = 1) {
    this.onProgress = ({ savedMs }) => {
      if (savedMs >= ms) this.kill()
    }
    return this.swap({ ...swap, told: true })
  }

  /** Cancels the swap; what it has saved stays. */
  cancel(): void {
    this.onProgress = null
    void cancelStep()
  }

  /** The next run has another process. */
  kill(): void {
    this.onProgress = null
    killWarm()
  }

  end(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}
