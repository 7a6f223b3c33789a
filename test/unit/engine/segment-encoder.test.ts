/** @file How many bits a swap is given. */
import { describe, expect, it, vi } from 'vitest'
import { bitrateFor } from '../../../src/renderer/engine/media/encode/segment-encoder.ts'

vi.mock('mediabunny', { spy: true })

const bits = (bitrate: number, codedWidth = 1920, codedHeight = 1080, fps = 25): number =>
  bitrateFor({ bitrate, codedWidth, codedHeight, fps })

describe('the bits of a swap', () => {
  it('are half as many again as the source had, grain and all', () => {
    expect(bits(8e6)).toBe(12e6)
    expect(bits(39e6, 960, 540)).toBeGreaterThan(3 * 960 * 540 * 25)
  })

  it('are enough where the source had next to none', () => {
    expect(bits(200_000)).toBeGreaterThan(5e6)
    expect(bits(200_000, 1280, 720)).toBe(0.1 * 1280 * 720 * 25)
  })

  it('are more for each pixel where there are few', () => {
    expect(bits(200_000, 960, 540) / (960 * 540 * 25)).toBeCloseTo(0.133, 3)
    expect(bits(200_000, 640, 360) / (640 * 360 * 25)).toBeCloseTo(0.2, 3)
  })

  it('are no more than a picture needs, nor than players take', () => {
    expect(bits(100e6, 640, 360)).toBe(4 * 640 * 360 * 25)
    expect(bits(900e6, 3840, 2160)).toBe(240e6)
  })
})

describe('the encoder', () => {
  it.each([
    [24, 24],
    [0.5, 1],
    [240, 60],
  ])('of a video of %d frames a second is told of %d', async (fps, told) => {
    // Files share a process: one before may have loaded the encoder with the real mediabunny.
    vi.resetModules()
    const mediabunny = await import('mediabunny')
    const { SegmentEncoder } = await import('../../../src/renderer/engine/media/encode/segment-encoder.ts')
    new SegmentEncoder({ bitrate: 8e6, codedWidth: 1920, codedHeight: 1080, fps }, 'software')
    const config: VideoEncoderConfig = { codec: 'avc1.640028', width: 1920, height: 1080 }
    vi.mocked(mediabunny.VideoSampleSource).mock.lastCall?.[0].onEncoderConfig?.(config)
    expect(config.framerate).toBe(told)
  })
})
