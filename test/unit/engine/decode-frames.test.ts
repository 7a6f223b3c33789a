/** @file Every frame comes, whatever the decoder does; the decoder alone is a fake, as Node has no WebCodecs. */
import {
  CustomVideoDecoder,
  EncodedPacket,
  registerDecoder,
  VideoSample,
  type InputVideoTrack,
  type VideoCodec,
} from 'mediabunny'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Range } from '../../../src/shared/people/people.ts'
import { decodeParts, decodeFrames } from '../../../src/renderer/engine/media/demux/decode-frames.ts'
import { keyTimes } from '../../../src/renderer/engine/media/demux/key-frames.ts'
import type { MediaInput } from '../../../src/renderer/engine/media/demux/media-input.ts'
import { SwapPlan } from '../../../src/renderer/engine/media/range/swap-plan.ts'
import { vp9Of } from './segments-of.ts'

const size = { codedWidth: 4, codedHeight: 2 }
/** Frames whose packets the decoder refuses, and those it passes over in silence. */
let refused = new Set<number>()
let dropped = new Set<number>()
let made = 0
let closed = 0

class Counted extends VideoSample {
  override close(): void {
    closed += 1
    super.close()
  }
}

/** Makes a picture of one colour of a packet's first byte. */
class FakeDecoder extends CustomVideoDecoder {
  static override supports(codec: VideoCodec): boolean {
    return codec === 'vp9'
  }

  private failed = false

  init(): void {}
  flush(): void {}
  close(): void {}

  decode({ data, timestamp, duration }: EncodedPacket): void {
    const number = data[0] ?? 0
    this.failed ||= refused.has(number)
    // As WebCodecs do: told beside the work, after which nothing more comes.
    if (refused.has(number)) this.onError(new Error(`frame ${String(number)} is broken`))
    if (this.failed || dropped.has(number)) return
    const pixels = new Uint8Array(12).fill(number)
    made += 1
    this.onSample(new Counted(pixels, { format: 'I420', ...size, timestamp, duration }))
  }
}
registerDecoder(FakeDecoder)

/** Milliseconds: some last longer than others. */
const timeOf = (number: number): number => number * 40 + (number % 3) * 10
const count = 20

/** Whose picture a decoded frame has. */
async function pictureOf(sample: VideoSample): Promise<number> {
  const pixels = new Uint8Array(12)
  await sample.copyTo(pixels)
  return pixels[0] ?? -1
}

/** Key frames at 0, 5, 10 and 15. */
const clip = (): Promise<InputVideoTrack> => {
  const packets = Array.from({ length: count }, (_, number) => {
    const [at, next] = [timeOf(number), timeOf(number + 1)]
    const type = number % 5 === 0 ? 'key' : 'delta'
    return new EncodedPacket(Uint8Array.of(number, 1, 2), type, at / 1000, (next - at) / 1000)
  })
  return vp9Of(packets, size.codedWidth, size.codedHeight)
}

/** What comes: time, whose picture it is, and whether that is another frame's. */
async function decoded(): Promise<[ms: number, picture: number, damaged: boolean][]> {
  const frames: [number, number, boolean][] = []
  for await (const { sample, timestamp, damaged } of decodeFrames(await clip(), null))
    frames.push([Math.round(timestamp * 1000), await pictureOf(sample), damaged])
  return frames
}

/** Frames with the pictures of others in place of those named. */
const expected = (replaced: Record<number, number>): unknown[] =>
  Array.from({ length: count }, (_, number) => [timeOf(number), replaced[number] ?? number, number in replaced])

beforeEach(() => {
  refused = new Set()
  dropped = new Set()
  made = 0
  closed = 0
})

describe('a video', () => {
  it.each<[string, number[], Record<number, number>]>([
    ['in the middle', [7], { 7: 6, 8: 6, 9: 6 }],
    ['that is a key frame', [5], { 5: 4, 6: 4, 7: 4, 8: 4, 9: 4 }],
    ['at the very beginning', [0], { 0: 5, 1: 5, 2: 5, 3: 5, 4: 5 }],
    ['near the end', [18], { 18: 17, 19: 17 }],
    ['twice', [3, 12], { 3: 2, 4: 2, 12: 11, 13: 11, 14: 11 }],
  ])('whose decoder refuses a frame %s repeats one up to the next key frame', async (_where, broken, replaced) => {
    refused = new Set(broken)
    expect(await decoded()).toEqual(expected(replaced))
  })

  it.each<[string, number[], Record<number, number>]>([
    ['in the middle', [7, 8], { 7: 6, 8: 6 }],
    ['at the beginning', [0, 1], { 0: 2, 1: 2 }],
    ['at the end', [18, 19], { 18: 17, 19: 17 }],
  ])('whose decoder passes over frames %s repeats one in their place', async (_where, lost, replaced) => {
    dropped = new Set(lost)
    expect(await decoded()).toEqual(expected(replaced))
  })

  it('of which nothing can be read ends with what the decoder says', async () => {
    refused = new Set(Array.from({ length: count }, (_, number) => number))
    await expect(decoded()).rejects.toThrow('is broken')
  })

  it('lets go of every picture, also when nobody asks for more', async () => {
    refused = new Set([7])
    await decoded()
    expect(closed).toBe(made)
    for await (const frame of decodeFrames(await clip(), null)) if (frame.timestamp > 0.1) break
    expect(closed).toBe(made)
  })
})

describe('a range', () => {
  const footage = SwapPlan.whole({
    ...{ firstTimestamp: 0, earliest: 0, frames: count, durationMs: timeOf(count), endsEarly: false },
  })
  const msOf = (part: [from: number, to: number]): { fromMs: number; toMs: number } => ({
    fromMs: timeOf(part[0]),
    toMs: timeOf(part[1]),
  })
  const planOf = (video: InputVideoTrack, parts: [number, number][], rest: Range['rest']): Promise<SwapPlan> =>
    SwapPlan.of(video, { parts: parts.map(msOf), rest }, footage)

  /** The picture and the part of each frame, and its time and length in the result in milliseconds. */
  async function planned(parts: [number, number][], rest: Range['rest'], from: number | null = null) {
    const video = await clip()
    const plan = await planOf(video, parts, rest)
    const frames: { picture: number; part: number | null; at: number; lasts: number; damaged: boolean }[] = []
    for await (const { sample, part, damaged, ...frame } of decodeParts(video, plan, from)) {
      const { timestamp, duration } = plan.place(frame)
      const [at, lasts] = [Math.round(timestamp * 1000), Math.round(duration * 1000)]
      frames.push({ picture: await pictureOf(sample), part, at, lasts, damaged })
    }
    return { plan, frames }
  }

  const every = Array.from({ length: count }, (_, first) => first).flatMap((first) =>
    [first + 1, first + 4, count].filter((end) => end <= count).map((end): [number, number] => [first, end]),
  )

  it('from any frame to any other has just these, from zero on, each as long as it was', async () => {
    for (const [first, end] of every) {
      const { plan, frames } = await planned([[first, end]], 'drop')
      expect(frames).toEqual(
        Array.from({ length: end - first }, (_, index) => {
          const number = first + index
          const lasts = timeOf(number + 1) - timeOf(number)
          return { picture: number, part: 0, at: timeOf(number) - timeOf(first), lasts, damaged: false }
        }),
      )
      expect(plan).toMatchObject({ frames: end - first, durationMs: timeOf(end) - timeOf(first) })
    }
    expect(closed).toBe(made)
  })

  it('of several parts joins them without a gap', async () => {
    // The first two are so near that decoding continues, to the last there is a key frame between.
    const { plan, frames } = await planned([[2, 4], [6, 7], [17, 20]], 'drop') // prettier-ignore
    expect(frames.map(({ picture, part }) => [picture, part])).toEqual([[2, 0], [3, 0], [6, 1], [17, 2], [18, 2], [19, 2]]) // prettier-ignore
    let end = 0
    for (const { at, lasts } of frames) {
      expect(at).toBe(end)
      end += lasts
    }
    expect(plan).toMatchObject({ frames: 6, durationMs: end })
  })

  it('whose rest is kept has all frames at their own times, and says which are in a part', async () => {
    const { plan, frames } = await planned([[2, 4], [6, 7]], 'keep') // prettier-ignore
    expect(frames.map(({ at }) => at)).toEqual(Array.from({ length: count }, (_, number) => timeOf(number)))
    expect(frames.flatMap(({ picture, part }) => (part === null ? [] : [[picture, part]]))).toEqual([[2, 0], [3, 0], [6, 1]]) // prettier-ignore
    expect(plan).toMatchObject({ frames: count, durationMs: timeOf(count) })
  })

  it('goes on in any part', async () => {
    const parts: [number, number][] = [[2, 5], [12, 18]] // prettier-ignore
    const { frames } = await planned(parts, 'drop')
    for (const [index, { picture }] of frames.entries()) {
      const { frames: later } = await planned(parts, 'drop', timeOf(picture) / 1000)
      expect(later).toEqual(frames.slice(index))
    }
  })

  it('whose first frames cannot be decoded repeats the first that can', async () => {
    refused = new Set([6])
    const { frames } = await planned([[7, 13]], 'drop')
    expect(frames.map(({ picture, damaged }) => [picture, damaged])).toEqual([
      ...[[10, true], [10, true], [10, true]], // prettier-ignore
      ...[[10, false], [11, false], [12, false]], // prettier-ignore
    ])
  })

  it('ends where the video ends', async () => {
    const video = await clip()
    const range: Range = { parts: [{ fromMs: timeOf(18), toMs: 3_600_000 }], rest: 'drop' }
    const plan = await SwapPlan.of(video, range, footage)
    expect(plan).toMatchObject({ frames: 2, durationMs: timeOf(20) - timeOf(18) })
  })

  it.each<[string, [number, number][], object]>([
    ['with its end before its beginning', [[400, 200]], { reason: 'order' }],
    ['between two frames', [[41, 42]], { reason: 'empty' }],
    ['behind the video', [[5000, 6000]], { reason: 'outside' }],
    ['with one part behind the video', [[0, 400], [5000, 6000]], { reason: 'outside' }], // prettier-ignore
    ['of parts that overlap', [[0, 400], [300, 600]], { reason: 'overlap' }], // prettier-ignore
  ])('%s is refused', async (_what, parts, details) => {
    const range = { parts: parts.map(([fromMs, toMs]) => ({ fromMs, toMs })), rest: 'drop' as const }
    const planning = SwapPlan.of(await clip(), range, footage)
    await expect(planning).rejects.toMatchObject({ code: 'range-invalid', details })
  })

  it('has its first looks inside: at key frames, or at the beginning of a part', async () => {
    const video = await clip()
    const plan = await planOf(video, [[2, 4], [8, 18]], 'keep') // prettier-ignore
    // All that is asked of the media.
    const found = await keyTimes({ video, plan } as MediaInput, [0, 0.1, 0.3, 0.5, 0.7, 0.9])
    expect(found.map((time) => Math.round(time * 1000))).toEqual([2, 8, 10, 15].map(timeOf))
  })

  it('finds a place in its parts by seconds, and by a share of their frames', async () => {
    const video = await clip()
    const drop = await planOf(video, [[2, 4], [10, 18]], 'drop') // prettier-ignore
    const keep = await planOf(video, [[2, 4], [10, 18]], 'keep') // prettier-ignore
    const first = (timeOf(4) - timeOf(2)) / 1000
    expect(drop.timeAt(0)).toBeCloseTo(timeOf(2) / 1000, 6)
    expect(drop.timeAt(first + 0.001)).toBeCloseTo(timeOf(10) / 1000 + 0.001, 6)
    expect(drop.timeAt(drop.seconds)).toBeNull()
    expect([0, 0.2, 0.5].map((share) => drop.indexAt(share))).toEqual([0, 2, 5])
    expect([0, 0.2, 0.5].map((share) => keep.indexAt(share))).toEqual([2, 10, 13])
  })
})
