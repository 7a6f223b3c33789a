/** @file Engine interface of the embedded service; implemented by EngineHost in main/engine. */
import type { EngineProgress, SwapResult } from '@shared/engine/engine.ts'
import type { AigcFields, CastFiles, MethodFiles } from './engine-host.ts'
import type { Clip, Range } from '@shared/people/people.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'

export interface SwapJob {
  /** Of the job; absent for a proof. */
  id?: string
  cast: readonly CastFiles[]
  /** Clips of people who keep their face. */
  stay: Clip[]
  /** Path. */
  video: string
  /** Null: the whole video. */
  range: Range | null
  options: SwapOptions
  /** Absent: no proof (see `engineRequestSchema`). */
  proofOf?: { range: Range | null }
  /** Metadata of the label `china`; absent: empty. */
  aigc?: AigcFields
  /** Files of the model that `options` names; null: the built-in method. */
  method?: MethodFiles | null
  /** An existing folder; the engine writes the files of engine.ts (`output.mp4`, `cover.jpg`, …) there. */
  dir: string
  onProgress: (progress: EngineProgress) => void
  signal: AbortSignal
}

export interface EnginePort {
  /** Rejects with a MienError, also for invalid faces or videos; `cancelled` after an abort. */
  swap(job: SwapJob): Promise<SwapResult>
}
