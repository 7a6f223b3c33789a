import { defaultOptions } from '@shared/options/swap-options.ts'
import { existsSync } from 'node:fs'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { EngineRequest, SwapResult } from '@shared/engine/engine.ts'
import type { ProbeResult } from '@shared/engine/encoder.ts'
import { MienError } from '@shared/errors.ts'
import type { Measurement } from '@shared/engine/benchmark.ts'
import { EngineBenchmark } from '../../../../../src/main/engine/benchmark/engine-benchmark.ts'
import type { EngineHost } from '../../../../../src/main/engine/host/engine-host.ts'
import { computerKey } from '../../../../../src/main/engine/benchmark/measurement.ts'
import { swapResult } from '../../../../fixtures/swap-result.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const facts = { version: '1.0.0', electron: '45.3.4', model: 'A processor', cores: 8 }
const sample = { face: 'face.jpg', video: 'video.mp4' }

/** An engine beside a graphics chip; lists what it is asked, and holds what a test says. */
class ChipEngine implements Pick<EngineHost, 'probe' | 'swap' | 'rest'> {
  readonly asked: string[] = []
  probed: ProbeResult = { hardware: { fps: 300, problem: null }, software: { fps: 100, problem: null } }
  holds = new Set<string>()
  breaks = new Set<string>()
  fellBack: SwapResult['fellBack'] = null
  private held: (() => void)[] = []

  release(): void {
    this.holds.clear()
    for (const go of this.held.splice(0)) go()
  }

  probe(signal?: AbortSignal): Promise<ProbeResult> {
    return this.answer('probe', 'probe', this.probed, signal)
  }
  inspectFace(): Promise<number> {
    return this.answer('inspect-face', 'face', 1)
  }
  swap({ encoder = 'software', video, signal }: Parameters<EngineHost['swap']>[0]): Promise<SwapResult> {
    const failed = encoder === 'hardware' && this.fellBack !== null
    const chosen = failed ? 'software' : encoder
    const result = swapResult({
      ...{ encoder: chosen, fellBack: failed ? this.fellBack : null, workFps: chosen === 'hardware' ? 90 : 60 },
      ...{ width: 1280, height: 720, frames: 150, durationMs: 6000 },
    })
    return this.answer('swap', `${video} by ${encoder}`, result, signal)
  }
  rest(): void {
    this.asked.push('rest')
  }

  private async answer<T>(kind: EngineRequest['kind'], what: string, value: T, signal?: AbortSignal): Promise<T> {
    const ended = benchmark.begun(kind, signal)
    try {
      this.asked.push(what)
      const aborted = new Promise<never>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new MienError('cancelled')))
      })
      aborted.catch(() => undefined)
      if (this.holds.has(what)) await Promise.race([new Promise<void>((resolve) => this.held.push(resolve)), aborted])
      if (this.breaks.has(what)) throw new MienError('engine-crashed')
      return value
    } finally {
      ended()
    }
  }
}

const inDir = tempPaths()
let engine: ChipEngine
let stored: Measurement | null
let benchmark: EngineBenchmark

beforeEach(() => {
  engine = new ChipEngine()
  stored = null
  const own = engine
  // What an earlier test began may end in a later one.
  const store = (measured: Measurement): void => {
    if (engine === own) stored = measured
  }
  const rest = { facts, sample, now: () => 7, log: () => undefined, store, stored: () => stored }
  benchmark = new EngineBenchmark({ engine, dir: inDir('measuring'), ...rest })
})
afterEach(() => {
  benchmark.dispose()
  engine.release()
})

const job = (): Parameters<EngineBenchmark['swap']>[0] => ({
  ...{ cast: [{ pictures: ['f'], clips: null }], stay: [], range: null },
  ...{ video: 'own.mp4', options: defaultOptions, dir: inDir() },
  onProgress: () => undefined,
  signal: new AbortController().signal,
})
const untilAsked = (what: string): Promise<void> => vi.waitFor(() => expect(engine.asked).toContain(what))
const untilMeasured = (): Promise<void> =>
  vi.waitFor(() => {
    expect(benchmark.view.state).toBe('idle')
    expect(stored).not.toBeNull()
  })

it('is measured when nobody uses the engine: the encoders, then a swap with the one that was chosen', async () => {
  benchmark.start(0)
  expect(benchmark.view).toMatchObject({ state: 'waiting', measured: null, speeds: [] })
  await untilMeasured()
  expect(engine.asked).toEqual(['probe', 'video.mp4 by hardware', 'rest'])
  expect(stored).toEqual({
    ...{ key: computerKey(facts), at: 7, cores: 8, encoder: 'hardware', fps: 90 },
    ...engine.probed,
  })
  expect(benchmark.view.speeds.map(({ height, fps }) => [height, Math.round(fps)])).toEqual([
    [360, 176],
    [720, 90],
    [1080, 50],
  ])
  expect(existsSync(inDir('measuring'))).toBe(false)
})

it('is not measured again while it is the same computer and the same Mien', async () => {
  benchmark.start(0)
  await untilMeasured()
  engine.asked.length = 0
  benchmark.start(0)
  expect(benchmark.view.state).toBe('idle')
  stored = stored && { ...stored, key: 'another' }
  expect(benchmark.measured).toBeNull()
  benchmark.start(0)
  await untilAsked('probe')
})

it.each(['probe', 'video.mp4 by hardware'])('is given up at once for a user, and made up for (%s)', async (at) => {
  engine.holds.add(at)
  benchmark.start(0)
  await untilAsked(at)
  expect(benchmark.view.state).toBe('measuring')
  engine.holds.add('face')
  const inspecting = engine.inspectFace()
  expect(engine.asked.at(-1)).toBe('face')
  await vi.waitFor(() => expect(benchmark.view.state).toBe('waiting'))
  expect(engine.asked.at(-1)).toBe('face')
  expect(stored).toBeNull()
  engine.release()
  expect(await inspecting).toBe(1)
  await untilMeasured()
  expect(benchmark.view.error).toBeNull()
})

it('waits for a swap, and says so', async () => {
  engine.holds.add('own.mp4 by software')
  const swapping = benchmark.swap(job())
  benchmark.start(0)
  benchmark.again()
  expect(benchmark.view.state).toBe('busy')
  expect(engine.asked).toEqual(['own.mp4 by software'])
  engine.release()
  await swapping
  await untilMeasured()
})

it('tells what went wrong, and does not try by itself again', async () => {
  engine.breaks.add('probe')
  benchmark.start(0)
  await vi.waitFor(() =>
    expect(benchmark.view).toMatchObject({ state: 'idle', measured: null, error: { code: 'engine-crashed' } }),
  )
  engine.breaks.clear()
  benchmark.again()
  await untilMeasured()
  expect(benchmark.view.error).toBeNull()
})

it('can be stopped, and then waits to be asked', async () => {
  engine.holds.add('probe')
  benchmark.start(0)
  await untilAsked('probe')
  benchmark.stop()
  await vi.waitFor(() => expect(benchmark.view).toMatchObject({ state: 'idle', measured: null, error: null }))
  engine.release()
  benchmark.again()
  await untilMeasured()
})

it('gives swaps the encoder that was chosen, and the processor’s before', async () => {
  await benchmark.swap(job())
  benchmark.again()
  await untilMeasured()
  await benchmark.swap(job())
  const own = engine.asked.filter((what) => what.startsWith('own'))
  expect(own).toEqual(['own.mp4 by software', 'own.mp4 by hardware'])
})

it.each([
  ['failed', 'software', 'failed'],
  ['refused', 'hardware', null],
] as const)(
  'after a swap in which the graphics chip fell back (%s) the choice is %s',
  async (fellBack, encoder, problem) => {
    benchmark.again()
    await untilMeasured()
    engine.fellBack = fellBack
    expect(await benchmark.swap(job())).toMatchObject({ encoder: 'software', fellBack })
    expect(benchmark.measured).toMatchObject({ encoder, hardware: { problem } })
    benchmark.again()
    engine.fellBack = null
    await vi.waitFor(() =>
      expect(benchmark.measured).toMatchObject({ encoder: 'hardware', hardware: { problem: null } }),
    )
    // What it stores must not come into the next test.
    await untilMeasured()
  },
)

it('is measured with the processor when the graphics chip fails in the measured swap', async () => {
  engine.fellBack = 'failed'
  benchmark.again()
  await untilMeasured()
  expect(stored).toMatchObject({ encoder: 'software', hardware: { problem: 'failed' }, fps: 60 })
})
