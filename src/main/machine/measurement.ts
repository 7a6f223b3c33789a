/** @file What a measurement is of, and which encoder follows from it. Pure. */
import type { Encoder, ProbeResult } from '@shared/engine.ts'
import type { Measurement } from '@shared/machine.ts'

export interface MachineFacts {
  /** Of Mien and of Electron. */
  version: string
  electron: string
  /** Of the processor. */
  model: string
  cores: number
}

/** Another Mien, another Electron, another computer: each is measured anew. */
export const machineKey = ({ version, electron, model, cores }: MachineFacts): string =>
  [version, electron, model.trim(), String(cores)].join(' / ')

/** A graphics chip's encoder looks a little worse at the same size, so it has to be worth it. */
const clearlyFaster = 1.25

/** The graphics chip's, if it works, makes what it should, and is clearly faster. */
export function chooseEncoder({ hardware, software }: ProbeResult): Encoder {
  if (hardware.problem !== null || hardware.fps === null) return 'software'
  if (software.problem !== null || software.fps === null) return 'hardware'
  return hardware.fps >= software.fps * clearlyFaster ? 'hardware' : 'software'
}

/** After a swap in which the graphics chip failed: it is not asked again until it is measured anew. */
export const withoutHardware = (measured: Measurement): Measurement => ({
  ...measured,
  encoder: 'software',
  hardware: { fps: null, problem: 'failed' },
})
