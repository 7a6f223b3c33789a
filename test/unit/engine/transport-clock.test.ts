/** @file Transport streams whose clock jumps, as mediabunny reads them once their times are changed. */
import { ALL_FORMATS, BufferTarget, CustomSource, Input, MpegTsOutputFormat, Output, type InputTrack } from 'mediabunny'
import { beforeAll, expect, it } from 'vitest'
import { withSteadyClock } from '../../../src/renderer/engine/media/demux/transport-clock.ts'
import { remux, sample } from '../../fixtures/clip.ts'
import { packetsOf } from '../../fixtures/media-facts.ts'
import { byteFile } from './byte-file.ts'

/** The first second of the sample, which begins at `start` seconds. */
async function stream(start: number, hasSound = false): Promise<Uint8Array> {
  const target = new BufferTarget()
  await remux(sample.video, new Output({ format: new MpegTsOutputFormat(), target }), {
    place: ({ timestamp, duration }) => (timestamp < 1 ? [timestamp + start, duration] : null),
    // The sound begins with a packet before the picture.
    sound: hasSound ? { from: start, until: start + 0.96 } : null,
  })
  return new Uint8Array(target.buffer ?? new ArrayBuffer())
}

/** Times in milliseconds from the first picture. */
async function timesOf(...parts: Uint8Array[]): Promise<{ video: number[]; audio: number[] }> {
  const steady = await withSteadyClock(byteFile(Buffer.concat(parts)))
  const source = new CustomSource({ getSize: () => steady.size(), read: (start, end) => steady.read(start, end) })
  const input = new Input({ source, formats: ALL_FORMATS })
  const read = async (track: InputTrack | null): Promise<number[]> =>
    track ? (await packetsOf(track)).map(({ timestamp }) => timestamp) : []
  const pictures = (await read(await input.getPrimaryVideoTrack())).sort((a, b) => a - b)
  const sound = await read(await input.getPrimaryAudioTrack())
  const [start = 0] = pictures
  const since = (times: number[]): number[] => times.map((time) => Math.round((time - start) * 1000))
  return { video: since(pictures), audio: since(sound) }
}

const everyFrame = Array.from({ length: 50 }, (_, frame) => frame * 40)
const made = new Map<number, Uint8Array>()
const madeAt = (start: number): Uint8Array => made.get(start) ?? new Uint8Array()
const clockEnd = 2 ** 33 / 90_000

beforeAll(async () => {
  for (const start of [1, 1.5, 2, 50_000]) made.set(start, await stream(start))
})

it.each([
  ['back to the beginning', 1, 1],
  ['back into the part before', 1, 1.5],
  ['far ahead', 1, 50_000],
  ['far back', 50_000, 1],
  ['nowhere', 1, 2],
])('a clock that jumps %s goes on', async (_, first, second) => {
  expect((await timesOf(madeAt(first), madeAt(second))).video).toEqual(everyFrame)
})

it('a clock that wraps and then jumps goes on', async () => {
  const around = await stream(clockEnd - 0.5)
  expect((await timesOf(around, madeAt(50_000))).video).toEqual(everyFrame)
})

it('sound and picture keep their distance over a jump', async () => {
  const both = await stream(1, true)
  const { video, audio } = await timesOf(both, both)
  expect(video).toHaveLength(50)
  const jump = (video[25] ?? 0) - (video[0] ?? 0)
  expect(Math.abs(jump - 1000)).toBeLessThan(30)
  const half = audio.length / 2
  expect((audio[half] ?? 0) - (audio[0] ?? 0)).toBe(jump)
  expect([...audio].sort((a, b) => a - b)).toEqual(audio)
})

/** A packet in which sound, or a picture, begins. @param time in ticks, which fit into 15 bits */
const soundAt = (time: number, bytes: number, id = 0xc0): number[] => {
  const head = [0, 0, 1, id, bytes >> 8, bytes & 255, 0x80, 0x80, 5]
  const packet = [0x47, 0x41, id & 0x20, 0x10, ...head, 0x21, 0, 1, time >> 7, ((time & 0x7f) << 1) | 1]
  return [...packet, ...new Array<number>(188 - packet.length).fill(0)]
}

/** Times of packets once the clock is steady, in ticks. */
async function ticksOf(packets: number[], ...wanted: number[]): Promise<number[]> {
  const steady = await withSteadyClock(byteFile(Uint8Array.from(packets)))
  const found = wanted.map((number) => steady.read(number * 188, (number + 1) * 188))
  return (await Promise.all(found)).map((packet) => ((packet[16] ?? 0) << 7) | ((packet[17] ?? 0) >> 1))
}

it('sound that ends with less than before goes on where it ends', async () => {
  const part = [soundAt(0, 2000), soundAt(9000, 2000), soundAt(18_000, 500)].flat()
  expect(await ticksOf([...part, ...part], 3)).toEqual([18_000 + 9000 / 4])
})

it.each([
  ['a little is left where it is', 4000, 14_000],
  ['far goes on where the sound before ends', 12_000, 18_000],
])('sound that reaches %s, while the picture goes on', async (_, overlap, expected) => {
  const sounds = [0, 3600, 7200, 10_800, 14_400].map((time) => soundAt(time, 2000))
  const pictures = [0, 3600, 7200, 10_800, 14_400, 18_000, 21_600].map((time) => soundAt(time, 0, 0xe0))
  const packets = [...pictures, ...sounds, soundAt(18_000 - overlap, 2000)].flat()
  expect(await ticksOf(packets, 12)).toEqual([expected])
})

const table = [0x47, 0x40, 0, 0x10, ...new Array<number>(184).fill(0)]

it.each([
  // The picture of the first part ends at 14,400 ticks.
  ['before its picture', [2, 0, 1], [14_500, 14_400, 18_000]],
  ['behind its picture', [0, 2, 1], [14_400, 14_500, 18_000]],
])('sound %s goes along where the picture jumps, though it goes on by itself', async (_, order, expected) => {
  const first = [0, 3600, 7200, 10_800].flatMap((time) => soundAt(time, 0, 0xe0))
  // Its packets have several frames each, so that the next one begins behind the last one's beginning.
  const heard = [0, 7200].flatMap((time) => soundAt(time, 2000))
  const second = [soundAt(7200, 0, 0xe0), soundAt(10_800, 0, 0xe0), soundAt(7300, 2000)]
  const joined = order.flatMap((number) => second[number] ?? [])
  expect(await ticksOf([...table, ...first, ...heard, ...table, ...joined], 8, 9, 10)).toEqual(expected)
})
