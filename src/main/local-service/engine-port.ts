/** @file What the embedded service needs from an engine; main/engine's EngineHost has it. */
import type { EngineProgress, FaceInspection, SwapResult, VideoInspection } from '@shared/engine.ts'

export interface SwapJob {
  /** Paths of the face picture and the video. */
  face: string
  video: string
  /** An existing folder; the engine leaves the files of engine.ts (`output.mp4`, `cover.jpg`, …) there. */
  dir: string
  onProgress: (progress: EngineProgress) => void
  signal: AbortSignal
}

/** All of these reject with a MienError; `cancelled` after the signal. */
export interface EnginePort {
  inspectFace(path: string, dir: string, signal?: AbortSignal): Promise<FaceInspection>
  inspectVideo(path: string, dir: string, signal?: AbortSignal): Promise<VideoInspection>
  swap(job: SwapJob): Promise<SwapResult>
}
