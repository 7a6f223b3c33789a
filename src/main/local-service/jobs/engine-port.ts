/** @file Engine interface of the embedded service; implemented by EngineHost in main/engine. */
import type { EngineProgress, SwapResult } from '@shared/engine.ts'
import type { MethodFiles } from '../../engine/engine-host.ts'
import type { SwapOptions } from '@shared/swap-options.ts'

export interface SwapJob {
  /** Paths of the face picture and the video. */
  face: string
  video: string
  /** Paths of more pictures of the same person. */
  pictures: readonly string[]
  options: SwapOptions
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
