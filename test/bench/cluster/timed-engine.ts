/**
 * @file An engine of known time. Its segments and its result depend on the video alone, and it goes on after the segments
 * that are there, so a result shows whether work was lost, doubled or mixed.
 */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { SwapResult } from '../../../src/shared/engine/engine.ts'
import { MienError } from '../../../src/shared/errors.ts'
import type { EnginePort, SwapJob } from '../../../src/main/engine/host/engine-host.ts'
import { swapResult } from '../../fixtures/swap-result.ts'
import { segmentOf, segments } from './timed-result.ts'

const framesPerSegment = 100
const secondMs = 1000

export class TimedEngine implements EnginePort {
  private readonly ms: number

  /** @param ms of a whole swap */
  constructor(ms: number) {
    this.ms = ms
  }

  async swap({ video, dir, onProgress, signal }: SwapJob): Promise<SwapResult> {
    const started = performance.now()
    const content = await readFile(video)
    for (let number = 0; number < segments; number += 1) {
      const name = join(dir, `segment-${String(number).padStart(4, '0')}`)
      if (!existsSync(`${name}.json`)) {
        await wait(this.ms / segments, undefined, { signal }).catch(() => {
          throw new MienError('cancelled')
        })
        await writeFile(`${name}.bin`, segmentOf(content, number))
        await writeFile(`${name}.json`, JSON.stringify({ number }))
      }
      const framesDone = (number + 1) * framesPerSegment
      onProgress({
        ...{ stage: 'swapping', footage: { width: 1280, height: 720, durationMs: segments * secondMs } },
        ...{ framesDone, framesTotal: segments * framesPerSegment, framesSwapped: framesDone },
        ...{ workFps: 50, etaMs: 0, previewFrame: null, savedMs: (number + 1) * secondMs },
      })
    }
    const parts = Array.from({ length: segments }, (_, number) =>
      readFile(join(dir, `segment-${String(number).padStart(4, '0')}.bin`)),
    )
    const output = Buffer.concat(await Promise.all(parts))
    await writeFile(join(dir, 'output.mp4'), output)
    const frames = segments * framesPerSegment
    return swapResult({
      ...{ width: 1280, height: 720, frames, swappedFrames: frames, quality: [{ kind: 'swapped', frames }] },
      ...{ durationMs: segments * secondMs, sizeBytes: output.length, fps: 100 },
      elapsedMs: Math.round(performance.now() - started),
    })
  }
}
