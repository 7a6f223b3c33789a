/** @file A measurement of this computer: what it depends on, how it is made and stored, and the choice of encoder. */
import type { SwapResult } from '@shared/engine/engine.ts'
import type { Encoder, ProbeResult } from '@shared/engine/encoder.ts'
import { type Measurement, measurementSchema } from '@shared/engine/benchmark.ts'
import { mkdir, rm } from 'node:fs/promises'
import type { EngineHost } from '../host/engine-host.ts'
import { privateMode } from '../../machine/disk/data-folder.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

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

export interface MeasureOptions {
  engine: Pick<EngineHost, 'probe' | 'swap' | 'rest'>
  facts: ComputerFacts
  /** Paths of a face picture and a 720p video. */
  sample: { face: string; video: string }
  /** Folder for the swap's output; removed before and after. */
  dir: string
  now: () => number
}

/**
 * Tests the encoders, then swaps the sample media with the chosen one.
 * @throws MienError `cancelled` after an abort, else the engine's error
 */
export async function measure(options: MeasureOptions, signal: AbortSignal): Promise<Measurement> {
  const { engine, facts, sample, dir, now } = options
  const swap = async (encoder: Encoder): Promise<SwapResult> => {
    await rm(dir, { recursive: true, force: true })
    await mkdir(dir, { recursive: true, mode: privateMode })
    const cast = [{ pictures: [sample.face], clips: null }]
    return engine.swap({ cast, video: sample.video, dir, encoder, signal })
  }
  try {
    const probed = await engine.probe(signal)
    const encoder = chooseEncoder(probed)
    const result = await swap(encoder)
    const { cores } = facts
    const measured = { key: computerKey(facts), at: now(), cores, encoder, ...probed, fps: result.workFps }
    if (result.fellBack === null) return measured
    return { ...withoutHardware(measured), fps: (await swap('software')).workFps }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

const fileSchema = z.object({ machine: measurementSchema })

/** The measurement stored in this data folder's settings, read without changing them; null if missing or unreadable. */
export function storedMeasurement(dataDir: string): Measurement | null {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8'))).machine
  } catch {
    return null
  }
}
