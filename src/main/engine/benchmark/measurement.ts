/** @file What a measurement depends on, and the choice of encoder. Pure. */
import type { Encoder, ProbeResult } from '@shared/engine/engine.ts'
import type { Measurement } from '@shared/engine/benchmark.ts'

export interface ComputerFacts {
  /** Versions of Mien and of Electron. */
  version: string
  electron: string
  /** Processor. */
  model: string
  cores: number
}

/** Key of a measurement. Another version of Mien or Electron, or another computer, needs a new one. */
export const computerKey = ({ version, electron, model, cores }: ComputerFacts): string =>
  [version, electron, model.trim(), String(cores)].join(' / ')

/** Hardware encoders look slightly worse at the same size, so they must be clearly faster. */
const clearlyFaster = 1.25

/** Chooses the hardware encoder if it works, its output is right, and it is clearly faster. */
export function chooseEncoder({ hardware, software }: ProbeResult): Encoder {
  if (hardware.problem !== null || hardware.fps === null) return 'software'
  if (software.problem !== null || software.fps === null) return 'hardware'
  return hardware.fps >= software.fps * clearlyFaster ? 'hardware' : 'software'
}

/** After a swap in which the hardware encoder failed: don't use it until the next measurement. */
export const withoutHardware = (measured: Measurement): Measurement => ({
  ...measured,
  encoder: 'software',
  hardware: { fps: null, problem: 'failed' },
})
