/**
 * @file The one stand-in of the contract tests: an engine that swaps nothing but keeps the port's promises,
 * with real (small) files. What its input says decides: a picture that starts with NOFACE has none, a video
 * that starts with NOVIDEO is none, HOLD stays under way until it is let go.
 */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { SwapResult } from '@shared/engine/engine.ts'
import { MienError } from '@shared/errors.ts'
import type { EnginePort, SwapJob } from '../../src/main/engine/host/engine-host.ts'
import { swapResult } from '../fixtures/swap-result.ts'

const frames = 20

const headOf = async (path: string): Promise<string> => (await readFile(path)).subarray(0, 16).toString('latin1')

export class SteadyEngine implements EnginePort {
  /** Titles of the videos' first words, in the order in which swaps began. */
  readonly swaps: string[] = []
  /** What the last swap was given beside the video: the first words of each face's pictures with the clips, and the rest. */
  last: Pick<SwapJob, 'cast' | 'stay' | 'range' | 'options'> | null = null
  private held: (() => void)[] = []

  /** Lets go what HOLD holds. */
  release(): void {
    for (const go of this.held.splice(0)) go()
  }

  async swap({ cast, stay, video, range, options, dir, onProgress, signal }: SwapJob): Promise<SwapResult> {
    const faces = await Promise.all(
      cast.map(async ({ pictures, clips }) => ({ pictures: await Promise.all(pictures.map(headOf)), clips })),
    )
    const text = await headOf(video)
    if (faces[0]?.pictures[0]?.startsWith('NOFACE')) throw new MienError('no-face-in-picture', { name: 'face.jpg' })
    if (text.startsWith('NOVIDEO')) throw new MienError('not-a-video', { name: 'video' })
    this.swaps.push(text.trim())
    this.last = { cast: faces, stay, range, options }
    for (let framesDone = 5; framesDone <= frames; framesDone += 5) {
      if (signal.aborted) throw new MienError('cancelled')
      for (const which of ['before', 'after'])
        await writeFile(join(dir, `${which}.jpg`), `${which} ${String(framesDone)}`)
      onProgress({
        stage: 'swapping',
        footage: { width: 320, height: 180, durationMs: 800 },
        framesDone,
        framesTotal: frames,
        framesSwapped: framesDone,
        workFps: 50,
        etaMs: (frames - framesDone) * 20,
        previewFrame: framesDone,
        savedMs: 0,
      })
      if (text.startsWith('HOLD') && framesDone === 10) await this.hold(signal)
      await wait(5)
    }
    await writeFile(join(dir, 'output.mp4'), Buffer.concat([Buffer.from('swapped '), await readFile(video)]))
    for (const name of ['cover.jpg', 'face-0.jpg', 'face-1.jpg', 'audio.m4a']) await writeFile(join(dir, name), name)
    return swapResult({
      ...{ fellBack: 'failed', frames, swappedFrames: 19, audioCodec: 'aac', faces: 2, stages: { render: 100 } },
      sizeBytes: (await stat(join(dir, 'output.mp4'))).size,
      quality: [
        { kind: 'swapped', frames: 19 },
        { kind: 'none', frames: 1 },
      ],
      weak: [{ kind: 'covered', face: 0, fromMs: 200, toMs: 440, frames: 6 }],
    })
  }

  private async hold(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new MienError('cancelled')
    await new Promise<void>((resolve, reject) => {
      this.held.push(resolve)
      signal.addEventListener('abort', () => reject(new MienError('cancelled')))
    })
  }
}
