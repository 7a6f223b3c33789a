import { expect, it } from 'vitest'
import { sizeOfKeyFrame } from '../../../src/renderer/engine/media/demux/key-frames.ts'

const bytes = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16))

/** Headers of 640 × 360 pixels, and of 320 × 180. */
it.each([
  ['vp8', '500b009d012a80026801', '500b009d012a4001b400'],
  ['vp9', '824983420027f016761c3824', '824983420013f00b361c3824'],
  // Of ten bits, of 4:4:4, and in RGB.
  ['vp9', '924983420013f80b3b031c120e0c2c08', '924983420009f8059b031c120e0c2c00'],
  ['vp9', 'a24983420004fe02cec0c70483830942', 'a249834200027e0166c0c70483830940'],
  ['vp9', 'a2498342e027f016760638241c184a10', 'a2498342e013f00b360638241c184a00'],
  ['av1', '0a0b0000000cc4ff6736be5010328018', '0a0b000000043cfeccdaf9404032a507'],
  ['avc', '0000000167640014acd940a02ff97016', '0000000167640014acd9414186'],
  ['avc', '0000000209f00000000c67640014acd940a02ff97016', '0000000209f00000000967640014acd9414186'],
])('frames of %s of two sizes are told apart', (codec, one, other) => {
  const [first, second] = [sizeOfKeyFrame(codec, bytes(one)), sizeOfKeyFrame(codec, bytes(other))]
  expect(first).not.toBeNull()
  expect(second).not.toBe(first)
  expect(sizeOfKeyFrame(codec, bytes(one))).toBe(first)
})
