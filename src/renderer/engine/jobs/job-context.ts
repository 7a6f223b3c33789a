import type { EngineEvent, EngineRequest } from '@shared/engine/engine.ts'
import type { AnalysisMethods } from '../face/analysis-methods.ts'
import type { Caller } from '../common/rpc.ts'

/** Dependencies of a job. */
export interface JobContext {
  analyst: Caller<AnalysisMethods>
  emit: (event: EngineEvent) => void
  signal: AbortSignal
}

export type RequestOf<K extends EngineRequest['kind']> = Extract<EngineRequest, { kind: K }>
