/** @file Tiny pictures, written without loss: their bits are read as ITU-T H.264 tells it. */
import { VideoSample } from 'mediabunny'
import { expect, it } from 'vitest'
import { encoderFor, SegmentEncoder } from '../../../src/renderer/engine/media/encode/segment-encoder.ts'
import { pcmFrame, pcmRecord } from '../../../src/renderer/engine/media/encode/pcm-avc.ts'
import { Bits } from '../../../src/renderer/engine/media/pixels/bits.ts'
import { sizeOfSps } from '../../../src/renderer/engine/media/pixels/avc-color.ts'
import { unspecified } from '../../../src/renderer/engine/media/pixels/color-tags.ts'
import { createPlanes, planesOver, type Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'

const tags = { primaries: unspecified, transfer: unspecified, matrix: unspecified, full: false }

/** Has rows of zeros, which look like the start of a unit. */
function picture(width: number, height: number): Planes {
  const planes = createPlanes(width, height)
  for (const plane of [planes.y, planes.u, planes.v])
    for (let at = 0; at < plane.length; at += 1) plane[at] = at % 7 < 3 ? at % 3 : (at * 31) & 255
  return planes
}

/** The picture in a unit whose length comes before it, and the number of its IDR picture. */
function read(frame: Uint8Array, width: number, height: number): { planes: Planes; id: number } {
  expect(new DataView(frame.buffer).getUint32(0)).toBe(frame.length - 4)
  const unit = [...frame.subarray(4)]
  expect(unit.some((byte, at) => byte < 3 && unit[at - 1] === 0 && unit[at - 2] === 0)).toBe(false)
  const bytes = unit.filter((byte, at) => !(byte === 3 && unit[at - 1] === 0 && unit[at - 2] === 0))
  const bits = new Bits(Uint8Array.from(bytes))
  expect([bits.take(8), bits.golomb(), bits.golomb(), bits.golomb(), bits.take(4)]).toEqual([0x65, 0, 7, 0, 0])
  const id = bits.golomb()
  expect([bits.take(2), bits.golomb(), bits.golomb()]).toEqual([0, 0, 1])
  const planes = createPlanes(width, height)
  for (let top = 0; top < height; top += 16)
    for (let left = 0; left < width; left += 16) {
      expect(bits.golomb()).toBe(25)
      bits.take((8 - (bits.at % 8)) % 8)
      for (const [plane, part] of [[planes.y, 1] as const, [planes.u, 2] as const, [planes.v, 2] as const])
        for (let at = 0; at < (16 / part) ** 2; at += 1) {
          const [x, y] = [left / part + (at % (16 / part)), top / part + Math.floor((at * part) / 16)]
          const value = bits.take(8)
          if (x < width / part && y < height / part) plane[(y * width) / part + x] = value
        }
    }
  expect(bits.take(8)).toBe(0x80)
  return { planes, id }
}

it.each([
  [64, 48],
  [22, 18],
])('a tiny picture of %i × %i has each of its pixels', (width, height) => {
  expect(read(pcmFrame(picture(width, height), 9), width, height)).toEqual({ planes: picture(width, height), id: 9 })
})

it('a tiny picture of a size that isn’t of whole macroblocks says what is cut off', () => {
  const record = pcmRecord({ width: 22, height: 18 })
  const sps = record.subarray(8, 8 + (record[7] ?? 0))
  expect(sizeOfSps(sps)).toBe(sizeOfSps(pcmRecord({ width: 32, height: 32 }).subarray(8)))
  const bits = new Bits(sps)
  bits.at = 32
  // Id, frame numbers, order, references; gaps; the size; three flags; the four sides in pairs of pixels.
  expect([bits.golomb(), bits.golomb(), bits.golomb(), bits.golomb(), bits.take(1)]).toEqual([0, 0, 2, 0, 0])
  expect([bits.golomb(), bits.golomb(), bits.take(3)]).toEqual([1, 1, 7])
  expect([bits.golomb(), bits.golomb(), bits.golomb(), bits.golomb()]).toEqual([0, 5, 0, 7])
})

it.each([
  [96, 96, false],
  [98, 96, true],
])('a segment of %i × %i pixels is Chromium’s (%s)', async (width, height, isOther) => {
  const encoder = encoderFor({ width, height, fps: 25, bitrate: 500_000, tags }, 'software')
  expect(encoder instanceof SegmentEncoder).toBe(isOther)
  await encoder.cancel().catch(() => undefined)
})

it('a segment of tiny pictures has key frames at their times, in the shape that is shown', async () => {
  const encoder = encoderFor({ width: 64, height: 48, fps: 25, bitrate: 500_000, tags }, 'software')
  const { y } = picture(64, 48)
  for (const timestamp of [3.96, 4]) {
    const init = { format: 'I420', codedWidth: 64, codedHeight: 48, timestamp, duration: 0.04 } as const
    const sample = new VideoSample(new Uint8Array(y.buffer), init)
    await encoder.add(sample)
    sample.close()
  }
  const { packets, config } = await encoder.finish()
  expect(packets.map(({ type, timestamp, duration }) => [type, timestamp, duration])).toEqual([
    ['key', 3.96, 0.04],
    ['key', 4, 0.04],
  ])
  const found = packets.map(({ data }) => read(data.slice(), 64, 48))
  expect(found.map(({ id }) => id)).toEqual([3960, 4000])
  expect(found[1]?.planes).toEqual(planesOver(new Uint8Array(y.buffer).slice().buffer, 64, 48))
  expect(config).toMatchObject({ codec: 'avc1.42c01f', codedWidth: 64, codedHeight: 48, displayAspectWidth: 64 })
})
