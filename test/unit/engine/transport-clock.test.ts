/** @file Transport streams whose clock jumps, as mediabunny reads them once their times are changed. */
import {
  ALL_FORMATS,
  BufferTarget,
  CustomSource,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathSource,
  Input,
  MpegTsOutputFormat,
  Output,
} from 'mediabunny'
import { beforeAll, expect, it } from 'vitest'
import { withSteadyClock } from '../../../src/renderer/engine/media/demux/transport-clock.ts'
import { sample } from '../../fixtures/clip.ts'

const open = (path: string): Input => new Input({ source: new FilePathSource(path), formats: ALL_FORMATS })

/** The first second of the sample, which begins at `start` seconds. */
async function stream(start: number, hasSound: boolean): Promise<Uint8Array<ArrayBuffer>> {
  const input = open(sample.video)
  const [video, audio] = [await input.getPrimaryVideoTrack(), hasSound ? await input.getPrimaryAudioTrack() : null]
  if (!video) throw new Error('the sample has a picture')
  const target = new BufferTarget()
  const output = new Output({ format: new MpegTsOutputFormat(), target })
  const [pictures, sound] = [new EncodedVideoPacketSource('avc'), new EncodedAudioPacketSource('aac')]
  output.addVideoTrack(pictures)
  if (audio) output.addAudioTrack(sound)
  await output.start()
  const [seen, heard] = [await video.getDecoderConfig(), await audio?.getDecoderConfig()]
  if (!seen) throw new Error('no configuration')
  const copy = async () => {
    for await (const packet of new EncodedPacketSink(video).packets()) {
      if (packet.timestamp >= 1) break
      await pictures.add(packet.clone({ timestamp: packet.timestamp + start }), { decoderConfig: seen })
    }
    pictures.close()
  }
  const copySound = async () => {
    if (!audio || !heard) return
    for await (const packet of new EncodedPacketSink(audio).packets()) {
      if (packet.timestamp < 0) continue
      if (packet.timestamp >= 1) break
      await sound.add(packet.clone({ timestamp: packet.timestamp + start }), { decoderConfig: heard })
    }
    sound.close()
  }
  await Promise.all([copy(), copySound()])
  await output.finalize()
  return new Uint8Array(target.buffer ?? new ArrayBuffer())
}

/** Times in seconds from the first picture. */
async function timesOf(parts: Uint8Array[], hasSound: boolean): Promise<{ video: number[]; audio: number[] }> {
  const bytes = new Uint8Array(Buffer.concat(parts))
  const file = {
    size: () => Promise.resolve(bytes.length),
    read: (start: number, end: number) => Promise.resolve(bytes.slice(start, end)),
  }
  const steady = await withSteadyClock(file)
  const source = new CustomSource({ getSize: () => steady.size(), read: (start, end) => steady.read(start, end) })
  const input = new Input({ source, formats: ALL_FORMATS })
  const [video, audio] = [await input.getPrimaryVideoTrack(), hasSound ? await input.getPrimaryAudioTrack() : null]
  const read = async (track: typeof video | typeof audio): Promise<number[]> => {
    const times: number[] = []
    if (track) for await (const { timestamp } of new EncodedPacketSink(track).packets()) times.push(timestamp)
    return times
  }
  const [pictures, sound] = [(await read(video)).sort((a, b) => a - b), await read(audio)]
  const start = pictures[0] ?? 0
  const since = (times: number[]): number[] => times.map((time) => Math.round((time - start) * 1000))
  return { video: since(pictures), audio: since(sound) }
}

const everyFrame = Array.from({ length: 50 }, (_, frame) => frame * 40)
const made = new Map<number, Uint8Array>()
const madeAt = (start: number): Uint8Array => made.get(start) ?? new Uint8Array()
const clockEnd = 2 ** 33 / 90_000

beforeAll(async () => {
  for (const start of [1, 1.5, 2, 50_000]) made.set(start, await stream(start, false))
})

it.each([
  ['back to the beginning', 1, 1],
  ['back into the part before', 1, 1.5],
  ['far ahead', 1, 50_000],
  ['far back', 50_000, 1],
  ['nowhere', 1, 2],
])('a clock that jumps %s goes on', async (_, first, second) => {
  expect((await timesOf([madeAt(first), madeAt(second)], false)).video).toEqual(everyFrame)
})

it('a clock that wraps and then jumps goes on', async () => {
  const around = await stream(clockEnd - 0.5, false)
  expect((await timesOf([around, madeAt(50_000)], false)).video).toEqual(everyFrame)
})

it('sound and picture keep their distance over a jump', async () => {
  const both = await stream(1, true)
  const { video, audio } = await timesOf([both, both], true)
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

it('sound that ends with less than before goes on where it ends', async () => {
  const part = [soundAt(0, 2000), soundAt(9000, 2000), soundAt(18_000, 500)]
  const bytes = Uint8Array.from([...part, ...part].flat())
  const read = (from: number, to: number) => Promise.resolve(bytes.slice(from, to))
  const steady = await withSteadyClock({ size: () => Promise.resolve(bytes.length), read })
  const second = await steady.read(3 * 188, 4 * 188)
  expect(((second[16] ?? 0) << 7) | ((second[17] ?? 0) >> 1)).toBe(18_000 + 9000 / 4)
})

it.each([
  ['a little is left where it is', 4000, 14_000],
  ['far goes on where the sound before ends', 12_000, 18_000],
])('sound that reaches %s, while the picture goes on', async (_, overlap, expected) => {
  const sounds = [0, 3600, 7200, 10_800, 14_400].map((time) => soundAt(time, 2000))
  const pictures = [0, 3600, 7200, 10_800, 14_400, 18_000, 21_600].map((time) => soundAt(time, 0, 0xe0))
  const bytes = Uint8Array.from([...pictures, ...sounds, soundAt(18_000 - overlap, 2000)].flat())
  const read = (from: number, to: number) => Promise.resolve(bytes.slice(from, to))
  const steady = await withSteadyClock({ size: () => Promise.resolve(bytes.length), read })
  const last = await steady.read(12 * 188, 13 * 188)
  expect(((last[16] ?? 0) << 7) | ((last[17] ?? 0) >> 1)).toBe(expected)
})

const table = [0x47, 0x40, 0, 0x10, ...new Array<number>(184).fill(0)]

it.each([
  ['before its picture', [3, 1, 2]],
  ['behind its picture', [1, 3, 2]],
])('sound %s goes along where the picture jumps, though it goes on by itself', async (_, order) => {
  const times = [0, 3600, 7200, 10_800]
  const first = times.flatMap((time) => soundAt(time, 0, 0xe0))
  // Its packets have several frames each, so that the next one begins behind the last one's beginning.
  const heard = [0, 7200].flatMap((time) => soundAt(time, 2000))
  const second = [soundAt(7200, 0, 0xe0), soundAt(10_800, 0, 0xe0), soundAt(7300, 2000)]
  const joined = order.flatMap((number) => second[number - 1] ?? [])
  const bytes = Uint8Array.from([...table, ...first, ...heard, ...table, ...joined])
  const read = (from: number, to: number) => Promise.resolve(bytes.slice(from, to))
  const steady = await withSteadyClock({ size: () => Promise.resolve(bytes.length), read })
  const timeAt = async (packet: number): Promise<number> => {
    const found = await steady.read(packet * 188, (packet + 1) * 188)
    return ((found[16] ?? 0) << 7) | ((found[17] ?? 0) >> 1)
  }
  // The picture of the first part ends at 14,400 ticks.
  const made = await Promise.all(order.map(async (number, at) => [number, await timeAt(8 + at)] as const))
  expect(Object.fromEntries(made)).toEqual({ 1: 14_400, 2: 18_000, 3: 14_500 })
})
