import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Encoder, EncoderChoice } from '@shared/engine/encoder.ts'
import {
  EncoderFailed,
  withEncoderTimeout,
  encodeWithFallback,
} from '../../../src/renderer/engine/media/encode/segment-encoder.ts'

const frames = 8

/** Encodes as a graphics chip does that fails after some frames; the processor's never does. */
async function encode(way: EncoderChoice, failsAfter: number | null, made: string[]): Promise<{ frames: number }> {
  for (let frame = 0; frame < frames; frame += 1) {
    const failing = way.encoder === 'hardware' && frame === failsAfter
    await withEncoderTimeout(way.encoder, failing ? Promise.reject(new Error('device lost')) : Promise.resolve())
    made.push(way.encoder)
  }
  return { frames }
}

const name = (way: EncoderChoice): string => `${way.encoder} ${String(way.fellBack)}`

const usual = { wanted: 'hardware' as Encoder, fits: true, begun: '', failsAfter: null as number | null }

async function swap(given: Partial<typeof usual>) {
  const { wanted, fits, begun, failsAfter } = { ...usual, ...given }
  const made: string[] = []
  const result = await encodeWithFallback(wanted, {
    fits: () => Promise.resolve(fits),
    isBegun: (way) => Promise.resolve(name(way) === begun),
    run: (way) => encode(way, failsAfter, made),
  })
  return { ...result, made }
}

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
})

describe('a swap is encoded', () => {
  it.each<[string, Partial<typeof usual>, string]>([
    ['by the processor when it is chosen', { wanted: 'software' }, 'software null'],
    ['by the graphics chip when it is chosen', {}, 'hardware null'],
    ['by the processor, and says so, when the graphics chip takes no such frames', { fits: false }, 'software refused'],
    [
      'as it began: by the processor though the graphics chip is chosen now',
      { begun: 'software null' },
      'software null',
    ],
    ['as it began: by the processor because the graphics chip failed', { begun: 'software failed' }, 'software failed'],
    [
      'as it began after a failure when the choice is the processor',
      { wanted: 'software', begun: 'software failed' },
      'software failed',
    ],
    ['as it began because the graphics chip did not take it', { begun: 'software refused' }, 'software refused'],
    [
      'anew when a graphics chip began that is not wanted now',
      { wanted: 'software', begun: 'hardware null' },
      'software null',
    ],
  ])('%s', async (_title, given, way) => {
    const result = await swap(given)
    expect(name(result)).toBe(way)
    expect(result.made).toEqual(Array<string>(frames).fill(result.encoder))
  })

  it('anew by the processor when the graphics chip fails in the middle, and says so', async () => {
    const result = await swap({ failsAfter: 5 })
    expect(result).toMatchObject({ encoder: 'software', fellBack: 'failed', frames })
    expect(result.made).toEqual([...Array<string>(5).fill('hardware'), ...Array<string>(frames).fill('software')])
    expect(console.warn).toHaveBeenCalledWith(expect.stringContaining('device lost'))
  })

  it.each<[Encoder, Error]>([
    ['software', new Error('the disk is full')],
    ['software', new EncoderFailed('out of memory')],
    ['hardware', new DOMException('cancelled', 'AbortError')],
  ])('once only by %s: what else goes wrong is told (%s)', async (encoder, error) => {
    const run = vi.fn(() => Promise.reject(error))
    const ports = { fits: () => Promise.resolve(true), isBegun: () => Promise.resolve(false), run }
    await expect(encodeWithFallback(encoder, ports)).rejects.toBe(error)
    expect(run).toHaveBeenCalledOnce()
  })
})

describe('an encoder that does not answer', () => {
  const pending = new Promise<never>(() => undefined)
  const outcome = (encoder: Encoder): Promise<string> =>
    Promise.race([
      withEncoderTimeout(encoder, pending).catch((error: unknown) =>
        error instanceof EncoderFailed ? 'failed' : 'odd',
      ),
      new Promise<string>((resolve) => setTimeout(resolve, 3_600_000, 'waited')),
    ])

  beforeEach(() => vi.useFakeTimers())

  it.each([
    ['failed', 'hardware', 'failed'],
    ['is waited for', 'software', 'waited'],
  ] as const)('%s where it is %s', async (_what, encoder, expected) => {
    const ended = outcome(encoder)
    await vi.runAllTimersAsync()
    expect(await ended).toBe(expected)
  })
  it('is not failed for the time in which the computer slept', async () => {
    let failed = false
    withEncoderTimeout('hardware', pending).catch(() => (failed = true))
    await vi.advanceTimersByTimeAsync(9000)
    vi.setSystemTime(Date.now() + 3_600_000)
    await vi.advanceTimersByTimeAsync(9000)
    expect(failed).toBe(false)
    await vi.advanceTimersByTimeAsync(2000)
    expect(failed).toBe(true)
  })
})
