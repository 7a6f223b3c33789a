/** @file What an encoder is told. */
import { describe, expect, it, vi } from 'vitest'
import { hdTags } from '../../../src/renderer/engine/media/pixels/color-tags.ts'

vi.mock('mediabunny', { spy: true })

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
    new SegmentEncoder({ bitrate: 12e6, width: 1920, height: 1080, fps, tags: hdTags }, 'software')
    const config: VideoEncoderConfig = { codec: 'avc1.640028', width: 1920, height: 1080 }
    vi.mocked(mediabunny.VideoSampleSource).mock.lastCall?.[0].onEncoderConfig?.(config)
    expect(config.framerate).toBe(told)
  })
})
