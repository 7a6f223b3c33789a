import { expect, it } from 'vitest'
import { sizeOfKeyFrame } from '../../../src/renderer/engine/media/demux/frame-sizes.ts'

const bytes = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16))

/** Headers of 640 × 360 pixels, and of 320 × 180. */
it.each([
  ['vp8', '500b009d012a80026801', '500b009d012a4001b400'],
  ['vp9', '824983420027f016761c3824', '824983420013f00b361c3824'],
  ['avc', '0000000167640014acd940a02ff97016', '0000000167640014acd9414186'],
  ['avc', '0000000209f00000000c67640014acd940a02ff97016', '0000000209f00000000967640014acd9414186'],
])('frames of %s of two sizes are told apart', (codec, one, other) => {
  const [first, second] = [sizeOfKeyFrame(codec, bytes(one)), sizeOfKeyFrame(codec, bytes(other))]
  expect(first).not.toBeNull()
  expect(second).not.toBe(first)
  expect(sizeOfKeyFrame(codec, bytes(one))).toBe(first)
})
