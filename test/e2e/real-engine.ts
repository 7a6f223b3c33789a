/**
 * @file The real engine in a process, without the app, and a folder for what it makes. The files of a test worker share
 * the process, so that the engine is warm, until one of them kills it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outDir } from '../../scripts/build.mjs'
import { defaultOptions, type SwapOptions } from '../../src/shared/options/default-options.ts'
import type { SwapResult } from '../../src/shared/engine/engine.ts'
import { EngineProcess } from '../bench/engine-process.mjs'
import { sample } from '../fixtures/clip.ts'
import { engineMain } from '../fixtures/test-mains.ts'
import { electronPath } from './app.ts'

interface Step {
  kind?: 'swap' | 're-render'
  video: string
  dir?: string
  options?: Partial<SwapOptions>
  aigc?: object
  range?: object
  part?: { fromMs: number; toMs: number }
  /** For `re-render`: the file to change. */
  result?: string
  /** Reports progress, so that it can be killed on the way. */
  told?: boolean
}

let shared: EngineProcess | null = null

export class RealEngine {
  readonly folder = mkdtempSync(join(tmpdir(), 'mien-engine-'))
  #dirs = 0

  readonly at = (...names: string[]): string => join(this.folder, ...names)

  newDir(): string {
    return this.at(`run-${String((this.#dirs += 1))}`)
  }

  /** Also after a kill. */
  async start(): Promise<void> {
    if (shared) return
    process.env['MIEN_ELECTRON'] = electronPath()
    shared = new EngineProcess(engineMain, outDir)
    await shared.next()
  }

  /** @returns `result` or `error`; null if the engine was killed */
  async run(step: object): Promise<unknown> {
    return shared?.run(step)
  }

  /** Swaps the sample face. Throws on an error; without `result`, the engine was killed. */
  async swap({ options, dir = this.newDir(), ...step }: Step) {
    const asked = { kind: 'swap', face: sample.face, dir, options: { ...defaultOptions, ...options }, ...step }
    const outcome = (await this.run(asked)) as { result?: SwapResult; error?: { code: string } } | null
    if (outcome && !outcome.result) throw new Error(`no result: ${JSON.stringify(outcome.error)}`)
    return { dir, file: join(dir, 'output.mp4'), result: outcome?.result }
  }

  /** Of the running process; a new one has none. */
  set onProgress(listener: EngineProcess['onProgress']) {
    if (shared) shared.onProgress = listener
  }

  kill(): void {
    shared?.kill()
    shared = null
  }

  /** The process ends with the test worker. */
  end(): void {
    this.onProgress = () => undefined
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}
