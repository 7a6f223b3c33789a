/** @file Engine interface of the embedded service; implemented by EngineHost in main/engine. */
import type { SwapResult } from '@shared/engine/engine.ts'
import type { SwapInput } from './engine-host.ts'

type Needed = 'stay' | 'range' | 'options' | 'onProgress'
/** A swap whose encoder is chosen for this computer. */
export interface SwapJob extends Omit<SwapInput, 'encoder' | Needed>, Required<Pick<SwapInput, Needed>> {
  /** Of the job; absent for a proof. */
  id?: string
  signal: AbortSignal
}

export interface EnginePort {
  /** Rejects with a MienError, also for invalid faces or videos; `cancelled` after an abort. */
  swap(job: SwapJob): Promise<SwapResult>
}
