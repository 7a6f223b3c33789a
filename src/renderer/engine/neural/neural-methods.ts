/** @file Messages of the neural worker. */
import type { Input, ModelToOpen } from './sessions.ts'
import type { RanOn } from '@shared/engine/engine.ts'

/** See `Sessions`. */
export type NeuralMethods = {
  /** For all models; before the first is opened. */
  limitThreads: (count: number) => void
  open: (name: string, model: ModelToOpen) => { emap: Float32Array | null }
  run: (name: string, inputs: Input[], output: string) => Float32Array
  ranOn: (name: string) => RanOn
  close: (name: string) => void
  /** The graphics chip: its name, '' if unknown, and why it can't be used. */
  adapter: () => { name: string; problem: 'absent' | 'software' | null }
  /** Bytes of the runtime's memory on the processor. */
  memory: () => number
}
