/** @file How many bits a swap is given. */
import { describe, expect, it } from 'vitest'
import { bitrateFor } from '../../../src/renderer/engine/media/segment-encoder.ts'

const bits = (bitrate: number, codedWidth = 1920, codedHeight = 1080, fps = 25): number =>
  bitrateFor({ bitrate, codedWidth, codedHeight, fps })

describe('the bits of a swap', () => {
  it('are half as many again as the source had, grain and all', () => {
    expect(bits(8e6)).toBe(12e6)
    expect(bits(39e6, 960, 540)).toBeGreaterThan(3 * 960 * 540 * 25)
  })

  it('are enough where the source had next to none', () => {
    expect(bits(200_000)).toBeGreaterThan(5e6)
  })

  it('are no more than a picture needs, nor than players take', () => {
    expect(bits(100e6, 640, 360)).toBe(4 * 640 * 360 * 25)
    expect(bits(900e6, 3840, 2160)).toBe(240e6)
  })
})
