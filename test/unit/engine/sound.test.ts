import {
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  Input,
  MkvOutputFormat,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  type AudioCodec,
  type OutputFormat,
} from 'mediabunny'
import { describe, expect, it } from 'vitest'
import { packetsOfParts, AudioCopy } from '../../../src/renderer/engine/media/audio/audio-copy.ts'
import { toPcm16, widened, sortSound, type KeptSound } from '../../../src/renderer/engine/media/audio/sound.ts'
import { packetsOf } from '../../fixtures/media-facts.ts'

/** A file with one sound track of these packets. */
async function fileOf(format: OutputFormat, codec: AudioCodec, packets: EncodedPacket[]): Promise<ArrayBuffer> {
  const target = new BufferTarget()
  const output = new Output({ format, target })
  const source = new EncodedAudioPacketSource(codec)
  output.addAudioTrack(source)
  await output.start()
  const name = codec === 'aac' ? 'mp4a.40.2' : codec
  // AAC of 44.1 kHz in stereo, as its two-byte configuration says it (ISO/IEC 14496-3).
  const description = codec === 'aac' ? { description: Uint8Array.of(0x12, 0x10) } : {}
  const decoderConfig = { codec: name, sampleRate: 44_100, numberOfChannels: 2, ...description }
  for (const packet of packets) await source.add(packet, { decoderConfig })
  await output.finalize()
  if (!target.buffer) throw new Error('nothing was written')
  return target.buffer
}

const open = (file: ArrayBuffer) => new Input({ source: new BufferSource(file), formats: ALL_FORMATS })

async function only(file: ArrayBuffer): Promise<KeptSound> {
  const { kept } = await sortSound(await open(file).getAudioTracks())
  if (!kept[0]) throw new Error('nothing was kept')
  return kept[0]
}

/** The track copied into an MP4 file, and read again. */
async function copied(sound: KeptSound): Promise<EncodedPacket[]> {
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat(), target })
  const source = new EncodedAudioPacketSource(sound.codec)
  output.addAudioTrack(source)
  await output.start()
  await new AudioCopy(sound, [source]).advance(Infinity)
  await output.finalize()
  const [track] = await open(target.buffer ?? new ArrayBuffer()).getAudioTracks()
  return track ? packetsOf(track) : []
}

describe('sound', () => {
  it.each([
    ['alaw', [0xd5, 0x55, 0xaa, 0x2a], [8, -8, 32_256, -32_256]],
    ['ulaw', [0xff, 0x80, 0x00, 0xfe], [0, 32_124, -32_124, 8]],
    ['pcm-u8', [0, 128, 255, 129], [-32_768, 0, 32_512, 256]],
    ['pcm-s8', [0x80, 0, 0x7f, 0xff], [-32_768, 0, 32_512, -256]],
  ] as const)('of %s becomes the same samples in sixteen bits', (codec, bytes, samples) => {
    expect([...new Int16Array(toPcm16(codec, Uint8Array.from(bytes)).slice().buffer)]).toEqual(samples)
  })

  it('that MP4 holds is not converted', () => {
    expect(['aac', 'opus', 'pcm-s16', 'toString'].filter(widened)).toEqual([])
  })

  it('of A-law is kept as 16-bit PCM', async () => {
    const data = Uint8Array.from({ length: 882 }, (_, index) => index & 255)
    const packet = new EncodedPacket(data, 'key', 0, 441 / 44_100)
    const sound = await only(await fileOf(new MovOutputFormat(), 'alaw', [packet]))
    expect(sound).toMatchObject({ codec: 'pcm-s16', config: { sampleRate: 44_100, numberOfChannels: 2 } })
    const bytes = (await copied(sound)).flatMap((packet) => [...packet.data])
    expect(bytes).toEqual([...toPcm16('alaw', data)])
  })

  it.each([['.mp3'], ['ms\0U']])('of MP3 is kept as it is where QuickTime calls it %j', async (name) => {
    const data = Uint8Array.of(0xff, 0xfb, 0x90, 0x64, 1, 2, 3)
    const packets = [0, 1].map((index) => new EncodedPacket(data, 'key', (index * 1152) / 44_100, 1152 / 44_100))
    const file = Buffer.from(await fileOf(new MovOutputFormat(), 'opus', packets))
    file.write(name, file.indexOf('Opus'), 'latin1')
    const sound = await only(new Uint8Array(file).buffer)
    expect(sound).toMatchObject({ codec: 'mp3', config: { codec: 'mp3', sampleRate: 44_100, numberOfChannels: 2 } })
    expect((await copied(sound))[0]?.data).toEqual(data)
  })

  it('keeps its last packet, whose length Matroska does not say', async () => {
    const times = [0, 0.023, 0.046, 0.07]
    const packets = times.map((time, index) => new EncodedPacket(Uint8Array.of(index, 1, 2), 'key', time, 0.023))
    const sound = await only(await fileOf(new MkvOutputFormat(), 'aac', packets))
    const result = await copied(sound)
    expect(result.map(({ data }) => data[0])).toEqual([0, 1, 2, 3])
    expect(result.at(-1)?.duration).toBeGreaterThan(0.02)
  })

  it('has the language that its file says elsewhere', async () => {
    const packets = [new EncodedPacket(Uint8Array.of(1, 2), 'key', 0, 0.023)]
    const tracks = await open(await fileOf(new MkvOutputFormat(), 'aac', packets)).getAudioTracks()
    const { kept } = await sortSound(tracks, { languages: new Map(tracks.map(({ id }) => [id, 'ger'])) })
    expect(kept.map(({ metadata }) => metadata.languageCode)).toEqual(['ger'])
  })

  it('whose times fall back, where recordings were joined, keeps all packets, one after the other', async () => {
    const packets = [0, 0.023, 0.046, 0.069].map((time, index) => new EncodedPacket(Uint8Array.of(0xee, index, 9), 'key', time, 0.023)) // prettier-ignore
    const file = new Uint8Array(await fileOf(new MkvOutputFormat(), 'aac', packets))
    // The muxer refuses such times. A block's are two bytes, in ms, before its flags and its data.
    const third = Buffer.from(file.buffer).indexOf(Buffer.of(0xee, 2, 9))
    new DataView(file.buffer).setInt16(third - 3, 10)
    const result = await copied(await only(file.buffer))
    expect(result.map(({ data }) => data[1])).toEqual([0, 1, 2, 3])
    expect(result.map(({ timestamp }) => Math.round(timestamp * 1000))).toEqual([0, 23, 24, 69])
  })

  it('that MP4 has no place for is named', async () => {
    const track = {
      getCodec: () => Promise.resolve(null),
      getInternalCodecId: () => Promise.resolve('A_ALAC'),
      getDecoderConfig: () => Promise.resolve(null),
    }
    // As much of a track as is asked of one that is not known.
    const found = await sortSound([track] as unknown as Parameters<typeof sortSound>[0])
    expect(found).toEqual({ kept: [], lost: ['ALAC'], codec: 'ALAC' })
  })
})

describe('sound of parts', () => {
  /** Forty packets of 1024 samples, as AAC has them, numbered; the sound begins at `late`, and is played `delay` earlier. */
  const step = 1024 / 44_100
  async function cut(
    parts: [from: number, to: number][],
    late = 0,
    delay = 0,
  ): Promise<{ number: number; at: number }[]> {
    const packets = Array.from({ length: 40 }, (_, index) => new EncodedPacket(Uint8Array.of(index, 1), 'key', late + index * step, step)) // prettier-ignore
    const { track } = await only(await fileOf(new Mp4OutputFormat(), 'aac', packets))
    let length = 0
    const planned = parts.map(([from, to]) => {
      const part = { from, to, shift: length - from }
      length += to - from
      return part
    })
    const found: { number: number; at: number }[] = []
    for await (const { data, timestamp } of packetsOfParts({ track, delay }, planned))
      found.push({ number: data[0] ?? -1, at: timestamp })
    return found
  }

  it.each([
    [8, 20, 8, 19],
    [8.4, 20.4, 8, 19],
    [8.6, 20.6, 9, 20],
    [0, 20, 0, 19],
  ])('from %f to %f packets begins at zero with packet %i, and ends with %i', async (from, to, first, last) => {
    const found = await cut([[from * step, to * step]])
    expect(found[0]).toEqual({ number: first, at: 0 })
    expect(found.at(-1)?.number).toBe(last)
  })

  it('follows without gaps, and is never more than half a packet off the picture', async () => {
    const parts: [number, number][] = []
    for (let from = 0.3; from < 36; from += 3.7) parts.push([from * step, (from + 1.9) * step])
    const found = await cut(parts)
    expect(found.length).toBeGreaterThan(15)
    found.forEach(({ at }, index) => expect(at).toBeCloseTo(index * step, 4))
    for (const { number, at } of found) {
      const before = parts.filter(([from]) => (number + 1) * step > from)
      const [from = 0] = before.at(-1) ?? []
      const start = before.slice(0, -1).reduce((sum, [a, b]) => sum + b - a, 0)
      expect(Math.abs(at - (number * step - from + start))).toBeLessThanOrEqual(step / 2 + 1e-4)
    }
  })

  it('that begins late begins as late in the part', async () => {
    const [first] = await cut([[0.5, 1]], 0.7)
    expect(first?.number).toBe(0)
    expect(first?.at).toBeCloseTo(0.2, 4)
  })

  it('that is played before its times is taken by when it is played', async () => {
    const found = await cut([[8 * step, 20 * step]], 0, 3 * step)
    expect(found[0]).toEqual({ number: 11, at: 0 })
    expect(found.at(-1)?.number).toBe(22)
  })

  it('is none where a track has none', async () => expect(await cut([[2, 3]])).toEqual([]))
})
