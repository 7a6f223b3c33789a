/** @file One measurement: tests the encoders, then swaps the sample media with the chosen one. */
import { mkdir, rm } from 'node:fs/promises'
import type { Encoder, ProbeResult, SwapResult } from '@shared/engine/engine.ts'
import type { Measurement } from '@shared/engine/benchmark.ts'
import type { CastFiles } from '../host/engine-host.ts'
import { privateMode } from '../../machine/disk/data-folder.ts'
import { chooseEncoder, computerKey, withoutHardware, type ComputerFacts } from './measurement.ts'

export interface MeasuredEngine {
  probe: (signal: AbortSignal) => Promise<ProbeResult>
  swap: (options: {
    cast: readonly CastFiles[]
    video: string
    dir: string
    encoder: Encoder
    signal: AbortSignal
  }) => Promise<SwapResult>
}

export interface MeasureOptions {
  engine: MeasuredEngine
  facts: ComputerFacts
  /** Paths of a face picture and a 720p video. */
  sample: { face: string; video: string }
  /** Folder for the swap's output; removed before and after. */
  dir: string
  now: () => number
}

/** @throws MienError `cancelled` after an abort, else the engine's error */
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
