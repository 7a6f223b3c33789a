import { describe, expect, it } from 'vitest'
import type { OutputQuality, OutputSize } from '@shared/options/default-options.ts'
import { expectedBytes, isExact, outputBitrate, outputSize } from '@shared/tasks/output.ts'
import { video as clip } from '../../../fixtures/tasks.ts'

it.each<[number, number, OutputSize, number, number]>([
  [1920, 1080, null, 1920, 1080],
  [1920, 1080, '720p', 1280, 720],
  [1080, 1920, '720p', 720, 1280],
  [1280, 720, '1080p', 1280, 720],
  [1920, 800, '1080p', 1920, 800],
  [1281, 721, '480p', 852, 480],
  [1920, 1080, 720, 720, 406],
  [1080, 1920, 360, 202, 360],
  [1281, 721, null, 1281, 721],
  [1281, 721, 1080, 1080, 608],
  [640, 360, 1080, 640, 360],
  [720, 405, 720, 720, 405],
  [4000, 10, 360, 360, 2],
])('the size of a result of %d × %d at %s is %d × %d', (width, height, size, ...shown) => {
  const result = outputSize({ width, height }, size)
  expect([result.width, result.height]).toEqual(shown)
})

describe('the bitrate of a result', () => {
  const bits = (bitrate: number, width = 1920, height = 1080, quality: OutputQuality = 'balanced', fps = 25): number =>
    outputBitrate({ bitrate, width, height, fps }, { width, height }, quality)

  it('is half as much again as the source’s, grain and all', () => {
    expect(bits(8e6)).toBe(12e6)
    expect(bits(39e6, 960, 540)).toBeGreaterThan(3 * 960 * 540 * 25)
  })

  it('is enough where the source had next to none', () => {
    expect(bits(200_000)).toBeGreaterThan(5e6)
    expect(bits(200_000, 1280, 720)).toBe(0.1 * 1280 * 720 * 25)
  })

  it('is more for each pixel where there are few', () => {
    expect(bits(200_000, 960, 540) / (960 * 540 * 25)).toBeCloseTo(0.133, 3)
    expect(bits(200_000, 640, 360) / (640 * 360 * 25)).toBeCloseTo(0.2, 3)
  })

  it('is no more than a picture needs, nor than players take', () => {
    expect(bits(100e6, 640, 360)).toBe(6 * 640 * 360 * 25)
    expect(bits(900e6, 3840, 2160)).toBe(240e6)
    expect(bits(900e6, 3840, 2160, 'best')).toBe(240e6)
  })

  it('is half or twice as much in other qualities', () => {
    expect(bits(8e6, 1920, 1080, 'small')).toBe(6e6)
    expect(bits(8e6, 1920, 1080, 'best')).toBe(24e6)
  })

  it('falls more slowly than the number of pixels', () => {
    const source = { bitrate: 16e6, width: 1920, height: 1080, fps: 25 }
    const half = outputBitrate(source, { width: 960, height: 540 }, 'balanced')
    expect(half / (24e6 / 4)).toBeCloseTo(Math.SQRT2, 3)
  })
})

describe('the expected size of a file', () => {
  const video = { ...clip, width: 1920, height: 1080, durationMs: 10_000, sizeBytes: 10_160_000, bitrate: 8e6 }
  const usual = { size: null, quality: 'balanced' } as const

  it('is that of the pictures and of the sound', () => {
    expect(expectedBytes(video, usual, null)).toBe(15_000_000 + 160_000)
    expect(expectedBytes(video, { ...usual, quality: 'small' }, null)).toBe(7_500_000 + 160_000)
    expect(expectedBytes({ ...video, audioCodec: null }, usual, null)).toBe(15_000_000)
  })

  it('is that of the parts that are saved', () => {
    const parts = [
      { fromMs: 1000, toMs: 2000 },
      { fromMs: 8000, toMs: 12_000 },
    ]
    expect(expectedBytes(video, usual, { parts, rest: 'drop' })).toBe(4_548_000)
    expect(expectedBytes(video, usual, { parts, rest: 'keep' })).toBe(15_160_000)
  })

  it('is found without the bitrate of the pictures', () => {
    expect(expectedBytes({ ...video, bitrate: null }, usual, null)).toBe(15_160_000)
  })

  it('falls with the number of pixels', () => {
    const small = expectedBytes(video, { ...usual, size: 480 }, null) ?? 0
    expect(small).toBeLessThan(3_000_000)
  })

  it.each([
    [96, 96, 36],
    [97, 94, 42],
    [17, 16, 2],
  ])('of %i × %i, which is encoded without loss, is that of %i macroblocks a frame', (width, height, blocks) => {
    const tiny = { ...video, width, height, audioCodec: null }
    expect(expectedBytes(tiny, { ...usual, quality: 'small' }, null)).toBe(blocks * 386 * 250)
  })

  it('of a picture whose even sides are too many for that is that of its bitrate', () => {
    expect(isExact({ width: 97, height: 94 })).toBe(true)
    expect(isExact({ width: 97, height: 95 })).toBe(false)
  })

  it('is as that of a picture, which becomes smaller with it', () => {
    const still = { kind: 'picture', durationMs: null, fps: null } as const
    const picture = { ...video, ...still, name: 'poster.JPG', sizeBytes: 4_000_000 }
    expect(expectedBytes(picture, usual, null)).toBe(4_000_000)
    expect(expectedBytes(picture, { ...usual, size: 480 }, null)).toBe(500_000)
    expect(expectedBytes({ ...picture, name: 'poster.heic' }, usual, null)).toBeNull()
  })

  it.each(['durationMs', 'width', 'sizeBytes'])('is unknown without its %s', (fact) => {
    expect(expectedBytes({ ...video, [fact]: null }, usual, null)).toBeNull()
  })
})
