/** @file What the embedded service needs from an engine; main/engine's EngineHost has it. */
import type { EngineProgress, SwapResult } from '@shared/engine.ts'

export interface SwapJob {
  /** Paths of the face picture and the video. */
  face: string
  video: string
  /** An existing folder; the engine leaves the files of engine.ts (`output.mp4`, `cover.jpg`, …) there. */
  dir: string
  onProgress: (progress: EngineProgress) => void
  signal: AbortSignal
}

export interface EnginePort {
  /** Rejects with a MienError, also about what is wrong with face or video; `cancelled` after the signal. */
  swap(job: SwapJob): Promise<SwapResult>
}
