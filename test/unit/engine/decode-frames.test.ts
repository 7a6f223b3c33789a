/** @file Every frame comes, whatever the decoder does; the decoder alone is a fake, as Node has no WebCodecs. */
import {
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  CustomVideoDecoder,
  EncodedPacket,
  EncodedVideoPacketSource,
  Input,
  MkvOutputFormat,
  Output,
  registerDecoder,
  VideoSample,
  type InputVideoTrack,
  type VideoCodec,
} from 'mediabunny'
import { beforeEach, describe, expect, it } from 'vitest'
import { decodeFrames } from '../../../src/renderer/engine/media/demux/decode-frames.ts'

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

/** Key frames at 0, 5, 10 and 15. */
async function clip(): Promise<InputVideoTrack> {
  const target = new BufferTarget()
  const output = new Output({ format: new MkvOutputFormat(), target })
  const source = new EncodedVideoPacketSource('vp9')
  output.addVideoTrack(source)
  await output.start()
  const meta = { decoderConfig: { codec: 'vp09.00.10.08', ...size } }
  for (let number = 0; number < count; number += 1) {
    const [at, next] = [timeOf(number), timeOf(number + 1)]
    const type = number % 5 === 0 ? 'key' : 'delta'
    await source.add(new EncodedPacket(Uint8Array.of(number, 1, 2), type, at / 1000, (next - at) / 1000), meta)
  }
  await output.finalize()
  if (!target.buffer) throw new Error('nothing was written')
  const input = new Input({ source: new BufferSource(target.buffer), formats: ALL_FORMATS })
  const track = await input.getPrimaryVideoTrack()
  if (!track) throw new Error('no video')
  return track
}

/** What comes: time, whose picture it is, and whether that is another frame's. */
async function decoded(from: number | null = null): Promise<[ms: number, picture: number, damaged: boolean][]> {
  const frames: [number, number, boolean][] = []
  for await (const { sample, timestamp, damaged } of decodeFrames(await clip(), from)) {
    const pixels = new Uint8Array(12)
    await sample.copyTo(pixels)
    frames.push([Math.round(timestamp * 1000), pixels[0] ?? -1, damaged])
  }
  return frames
}

/** Frames with the pictures of others in place of those named. */
const expected = (replaced: Record<number, number> = {}, first = 0): unknown[] =>
  Array.from({ length: count - first }, (_, index) => index + first).map((number) => [
    timeOf(number),
    replaced[number] ?? number,
    number in replaced,
  ])

beforeEach(() => {
  refused = new Set()
  dropped = new Set()
  made = 0
  closed = 0
})

describe('a video', () => {
  it('gives every frame at its own time', async () => {
    expect(await decoded()).toEqual(expected())
  })

  it('begins with the frame that is asked for', async () => {
    expect(await decoded(timeOf(7) / 1000)).toEqual(expected({}, 7))
  })

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
