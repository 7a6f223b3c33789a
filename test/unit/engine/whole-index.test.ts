/** MP4 whose index has only its first samples. */
import { expect, it } from 'vitest'
import { box, boxIn, joined, nameAt, numberAt, u32 } from '../../../src/renderer/engine/media/containers/boxes.ts'
import { withWholeIndex } from '../../../src/renderer/engine/media/demux/whole-index.ts'
import { byteFile } from './byte-file.ts'

const start = box('ftyp', [0, 0, 0, 0])

/** Two samples of 30 and 40 bytes, 100 ticks each, of which the first is a key frame; none if `count` is 0. */
const index = (count = 2): Uint8Array<ArrayBuffer> => {
  const sizes = [30, 40].slice(0, count).flatMap(u32)
  const table = box(
    'stbl',
    box('stsd', u32(7)),
    box('stts', u32(0), u32(1), u32(count), u32(100)),
    box('stss', u32(0), u32(1), u32(1)),
    box('stsc', u32(0), u32(1), u32(1), u32(2), u32(1)),
    box('stsz', u32(0), u32(0), u32(count), sizes),
    box('stco', u32(0), u32(count / 2), count > 0 ? u32(1000) : []),
  )
  return box(
    'moov',
    box('mvhd', u32(0)),
    box('trak', box('tkhd', u32(0), u32(0), u32(0), u32(5)), box('mdia', box('minf', table))),
    box('mvex', box('trex', u32(0), u32(5), u32(1), u32(50), u32(60), u32(0x10000))),
  )
}
/** Numbers of four bytes of a table, behind its version and flags. */
const numbers = (moov: Uint8Array, name: string): number[] => {
  const found = boxIn(moov, { from: 8, to: moov.length }, 'trak', 'mdia', 'minf', 'stbl', name)
  return found ? Array.from({ length: (found.to - found.from) / 4 - 1 }, (_, at) => numberAt(moov, found.from + 4 + at * 4)) : [] // prettier-ignore
}

it('has the samples of fragments in its index, at their times and places, with what fragments leave out', async () => {
  // What is usual, at 250 instead of 200; then a key frame with a length, a size and a shift of its own.
  const usual = box('traf', box('tfhd', [0, 2, 0, 0], u32(5)), box('tfdt', u32(0), u32(250)), box('trun', [0, 0, 0, 1], u32(2), u32(16))) // prettier-ignore
  const first = box('moof', box('mfhd', u32(1)), usual)
  const second = box('moof', box('mfhd', u32(2)), box('traf', box('tfhd', [0, 0, 0, 1], u32(5), u32(0), u32(5000)), box('trun', [1, 0, 0x0b, 5], u32(1), u32(8), u32(0), u32(70), u32(80), u32(-20)))) // prettier-ignore
  const bytes = joined(start, index(), box('mdat', u32(1)), first, second)
  const file = await withWholeIndex(byteFile(bytes))
  const all = await file.read(0, await file.size())
  const moof = bytes.length - second.length - first.length
  // The old index begins a box that ends with the old file; whatever lies behind that is where it was.
  expect([nameAt(all, start.length + 4), numberAt(all, start.length + 8, 8)]).toEqual(['free', bytes.length - start.length]) // prettier-ignore
  expect(all.subarray(start.length + 16, bytes.length)).toEqual(bytes.subarray(start.length + 16))
  const moov = all.subarray(bytes.length)
  expect([nameAt(moov, 4), boxIn(moov, { from: 8, to: moov.length }, 'mvex')]).toEqual(['moov', null])
  expect(numbers(moov, 'stsz')).toEqual([0, 5, 30, 40, 60, 60, 80])
  expect(numbers(moov, 'stts')).toEqual([4, 1, 100, 1, 150, 2, 50, 1, 70])
  expect(numbers(moov, 'ctts')).toEqual([2, 4, 0, 1, 2 ** 32 - 20])
  expect(numbers(moov, 'stss')).toEqual([2, 1, 5])
  expect(numbers(moov, 'stsc')).toEqual([3, 1, 2, 1, 2, 2, 1, 3, 1, 1])
  expect(numbers(moov, 'co64')).toEqual([3, 0, 1000, 0, moof + 16, 0, 5008])
  expect(await file.read(bytes.length - 4, bytes.length + 8)).toEqual(all.subarray(bytes.length - 4, bytes.length + 8))
})

it('has one sample for each chunk of PCM, as fragments do', async () => {
  // 300 ticks of 4 bytes, and a fragment with one sample of 1024 ticks.
  const table = box(
    'stbl',
    ...[box('stsd', u32(7)), box('stts', u32(0), u32(1), u32(300), u32(1)), box('stsc', u32(0), u32(1), u32(1), u32(150), u32(1))], // prettier-ignore
    ...[box('stsz', u32(0), u32(4), u32(300)), box('stco', u32(0), u32(2), u32(1000), u32(5000))],
  )
  const tracks = box('trak', box('tkhd', u32(0), u32(0), u32(0), u32(5)), box('mdia', box('minf', table)))
  const promise = box('mvex', box('trex', u32(0), u32(5), u32(1), u32(1024), u32(4096), u32(0)))
  const part = box('traf', box('tfhd', [0, 2, 0, 0], u32(5)), box('trun', [0, 0, 0, 1], u32(1), u32(16)))
  const bytes = joined(start, box('moov', box('mvhd', u32(0)), tracks, promise), box('moof', part))
  const file = await withWholeIndex(byteFile(bytes))
  const moov = await file.read(bytes.length, await file.size())
  expect(numbers(moov, 'stsz')).toEqual([0, 3, 600, 600, 4096])
  expect(numbers(moov, 'stts')).toEqual([2, 2, 150, 1, 1024])
  expect(numbers(moov, 'ctts')).toEqual([1, 3, 0])
})

it.each([
  ['whose index has all samples', joined(start, index(), box('mdat', u32(1)))],
  ['whose index has none', joined(start, index(0), box('moof', u32(1)))],
])('leaves a file as it is %s', async (_, bytes) => {
  const file = byteFile(bytes)
  expect(await withWholeIndex(file)).toBe(file)
})

it('refuses a fragment that says it has billions of samples', async () => {
  const part = box('traf', box('tfhd', [0, 2, 0, 0], u32(5)), box('trun', [0, 0, 0, 1], u32(2 ** 32 - 1), u32(16)))
  const bytes = joined(start, index(), box('mdat', u32(1)), box('moof', part))
  await expect(withWholeIndex(byteFile(bytes))).rejects.toMatchObject({ code: 'video-damaged' })
})
