/** @file An engine that swaps nothing, at once, or as it is told to. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SwapResult } from '@shared/engine/engine.ts'
import { MienError } from '@shared/errors.ts'
import type { EnginePort, SwapJob } from '../../src/main/engine/host/engine-host.ts'
import { swapResult } from '../fixtures/swap-result.ts'
import { mp4 } from './online-service.ts'

/** What happens to each swap. `hold`: under way until it is told otherwise. */
export type EngineFate = 'done' | 'hold' | 'disk-full' | 'engine-failed' | 'no-face-in-picture'

export class ModelEngine implements EnginePort {
  fate: EngineFate = 'done'
  private held: (() => void)[] = []

  /** Lets the swaps that are held meet the fate of now. */
  release(): void {
    for (const go of this.held.splice(0)) go()
  }

  async swap({ dir, signal, onProgress }: SwapJob): Promise<SwapResult> {
    const savedMs = 200
    if (!existsSync(join(dir, 'segment-0000.json'))) await writeFile(join(dir, 'segment-0000.json'), '{}')
    onProgress({
      ...{ stage: 'swapping', footage: null, framesDone: 5, framesTotal: 20, framesSwapped: 5, workFps: 50 },
      ...{ etaMs: 100, previewFrame: null, savedMs },
    })
    while (this.fate === 'hold' && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.held.push(resolve)
        signal.addEventListener('abort', () => resolve())
      })
    if (signal.aborted) throw new MienError('cancelled')
    const { fate } = this
    if (fate !== 'done' && fate !== 'hold') throw new MienError(fate)
    await writeFile(join(dir, 'output.mp4'), mp4)
    await writeFile(join(dir, 'cover.jpg'), 'no picture')
    return swapResult({ sizeBytes: mp4.length })
  }
}
