/** @file What is read of a file before it is swapped, and what its result keeps: real files, whose pictures nobody decodes. */
import { readFileSync, writeFileSync } from 'node:fs'
import {
  ALL_FORMATS,
  AttachedFile,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathSource,
  FilePathTarget,
  Input,
  MkvOutputFormat,
  Mp4OutputFormat,
  MpegTsOutputFormat,
  Output,
  type AudioTrackMetadata,
  type EncodedPacket,
  type InputTrack,
  type MetadataTags,
  type OutputFormat,
  type VideoTrackMetadata,
} from 'mediabunny'
import { beforeEach, expect, it } from 'vitest'
import { noRoles, rolesOfEntry } from '../../../src/renderer/engine/media/containers/roles.ts'
import { elementAt } from '../../../src/renderer/engine/media/containers/elements.ts'
import { extrasOf } from '../../../src/renderer/engine/media/demux/extras.ts'
import { refuseChangingSize } from '../../../src/renderer/engine/media/demux/key-frames.ts'
import { planOf, type MediaInput } from '../../../src/renderer/engine/media/demux/media-input.ts'
import { MediaOutput } from '../../../src/renderer/engine/media/encode/media-output.ts'
import { marksOfResult } from '../../../src/renderer/engine/media/marks/marks.ts'
import type { Cue, TextTrack } from '../../../src/renderer/engine/media/texts/texts.ts'
import { clips } from '../../fixtures/clip.ts'
import { packetsOf } from '../../fixtures/media-facts.ts'
import { byteFile } from './byte-file.ts'
import { jobFolder, type JobFolder } from './job-folder.ts'
import { openItem, segmentsOf } from './segments-of.ts'

let folder: JobFolder
beforeEach(() => {
  folder = jobFolder()
})

const mp4: OutputFormat = new Mp4OutputFormat()
const [noPicture, noConfig, noTags]: [VideoTrackMetadata, Partial<VideoDecoderConfig>, MetadataTags] = [{}, {}, {}]

/** Writes the first second of the small sample as `clip`. */
async function write({
  format = mp4,
  /** Seconds that are added to the times of the picture, and to those of the sound. */
  late = [0, 0] as [picture: number, sound: number],
  /** One for each track of sound. */
  sounds = [{}] as AudioTrackMetadata[],
  picture = noPicture,
  /** Tracks with its first frame. */
  morePictures = 0,
  frames = 25,
  /** Whose picture it has. */
  source = clips.small,
  change = (packet: EncodedPacket) => packet,
  /** What is different from the sample's. */
  config = noConfig,
  tags = noTags,
  /** Changes the written file, or gives another one. */
  patch = null as ((bytes: Buffer) => unknown) | null,
} = {}) {
  const input = new Input({ source: new FilePathSource(source), formats: ALL_FORMATS })
  const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]
  const output = new Output({ format, target: new FilePathTarget(folder.path('clip')) })
  const pictures = Array.from({ length: 1 + morePictures }, (_, at) => {
    const track = new EncodedVideoPacketSource('avc')
    output.addVideoTrack(track, at === 0 ? picture : {})
    return track
  })
  const tracks = sounds.map((metadata) => {
    const track = new EncodedAudioPacketSource('aac')
    output.addAudioTrack(track, metadata)
    return track
  })
  output.setMetadataTags(tags)
  await output.start()
  const [seen, heard] = [await video?.getDecoderConfig(), await audio?.getDecoderConfig()]
  if (!video || !seen) throw new Error('the sample has a picture')
  const first = async (track: InputTrack): Promise<EncodedPacket[]> =>
    (await packetsOf(track)).filter(({ timestamp }) => timestamp >= 0 && timestamp < 1)
  const moved = (packet: EncodedPacket, by: number) => packet.clone({ timestamp: packet.timestamp + by })
  for (const [at, track] of pictures.entries()) {
    for (const packet of (await first(video)).slice(0, at === 0 ? frames : 1))
      await track.add(change(moved(packet, late[0])), { decoderConfig: { ...seen, ...config } })
    track.close()
  }
  for (const packet of audio && heard ? await first(audio) : [])
    for (const track of tracks) await track.add(moved(packet, late[1]), { ...(heard && { decoderConfig: heard }) })
  for (const track of tracks) track.close()
  await output.finalize()
  if (!patch) return
  const bytes = readFileSync(folder.path('clip'))
  const made = patch(bytes)
  writeFileSync(folder.path('clip'), Buffer.isBuffer(made) ? made : bytes)
}

const open = (): Promise<MediaInput> => openItem('clip')

/** What a swap of all frames writes, but with the packets of the clip. */
async function result(media: MediaInput): Promise<Input> {
  const { plan } = media
  const kept = marksOfResult(false, null, await media.marks())
  const output = await MediaOutput.open(folder.url, media, plan, 'output.mp4', kept)
  for (const segment of await segmentsOf(media.video, 25, plan.shift)) await output.add(segment)
  await output.finish()
  return new Input({ source: new FilePathSource(folder.path('output.mp4')), formats: ALL_FORMATS })
}

/** When the tracks begin in the result of the clip, in seconds. */
async function startsOf(media: MediaInput): Promise<number[]> {
  const tracks = await (await result(media)).getTracks()
  return Promise.all(tracks.map((track) => track.getFirstTimestamp()))
}
const near = (seconds: number): unknown => expect.closeTo(seconds, 2)

it.each<[string, OutputFormat, [number, number], number[]]>([
  ['MPEG-TS', new MpegTsOutputFormat(), [20_000, 20_000], [0, 0]],
  ['MPEG-TS, its sound first', new MpegTsOutputFormat(), [1.8, 1.4], [0.4, 0]],
  ['Matroska, its picture first', new MkvOutputFormat(), [3, 3.25], [0, 0.25]],
  ['fragmented MP4', new Mp4OutputFormat({ fastStart: 'fragmented' }), [3, 3.25], [0, 0.25]],
  ['Matroska that does not', new MkvOutputFormat(), [0, 0.25], [0, 0.25]],
])(
  'a video that begins late begins at 0 in its result, and picture and sound keep their distance: %s',
  async (_, format, late, starts) => {
    await write({ format, late })
    expect(await startsOf(await open())).toEqual(starts.map(near))
  },
)

it('of Matroska, frames before 0 are in the result, and the sound keeps its distance', async () => {
  // The first cluster's time (RFC 9559, 5.1.3.1) goes from 1 s to 0; its blocks are half a second before that.
  const patch = (bytes: Buffer): void => {
    const at = bytes.indexOf(Buffer.of(0xe7, 0x82, 0x03, 0xe8))
    bytes.writeUInt16BE(0, at + 2)
    for (let block = at; (block = bytes.indexOf(0xa3, block + 1)) >= 0;) {
      const { from, to } = elementAt(bytes.subarray(block), block)
      const [track, before] = [bytes[from], bytes.readInt16BE(from + 1)]
      if (to <= bytes.length && (track === 0x81 || track === 0x82) && before >= 0 && before < 2000)
        bytes.writeInt16BE(before - 500, from + 1)
    }
  }
  await write({ format: new MkvOutputFormat(), late: [1, 1.2], patch })
  const media = await open()
  expect(media.facts).toMatchObject({ firstTimestamp: -0.5, earliest: -0.5, frames: 25 })
  expect(await startsOf(media)).toEqual([0, near(0.2)])
})

it.each<[string, [picture: number, sound: number], number[]]>([
  ['at 0', [0, 0], [0, -0.25]],
  ['late', [3, 3], [0.25, 0]],
])('sound is played as much before the picture as a Matroska file that begins %s says', async (_, late, starts) => {
  // The sound's Language, three letters, becomes its CodecDelay in nanoseconds (RFC 9559, 5.1.4.1).
  const patch = (bytes: Buffer): void => {
    const at = bytes.lastIndexOf(Buffer.of(0x22, 0xb5, 0x9c, 0x83))
    Buffer.of(0x56, 0xaa, 0x84).copy(bytes, at)
    bytes.writeUInt32BE(0.25e9, at + 3)
  }
  await write({ format: new MkvOutputFormat(), late, patch })
  expect(await startsOf(await open())).toEqual(starts.map(near))
})

it.each<[string, OutputFormat]>([
  ['Matroska', new MkvOutputFormat()],
  ['MP4', new Mp4OutputFormat()],
])('tracks of %s keep order, language, title and flags', async (_, format) => {
  const picture = { languageCode: 'jpn', name: 'Main picture' }
  const sounds = [
    { languageCode: 'ger', name: 'Kommentar', disposition: { default: false } },
    { languageCode: 'eng', name: 'Original', disposition: { default: true } },
  ]
  await write({ format, picture, sounds })
  const tracks = await (await result(await open())).getTracks()
  const told = tracks.map(async (track) => ({
    languageCode: await track.getLanguageCode(),
    name: await track.getName(),
    disposition: await track.getDisposition(),
  }))
  expect(await Promise.all(told)).toMatchObject([picture, ...sounds])
})

it('what tracks are for is in the result, beside their titles, and again in the result of that', async () => {
  const disposition = { hearingImpaired: true, commentary: true }
  const sounds: AudioTrackMetadata[] = [{ name: 'Plain' }, { name: 'Both', disposition }, { disposition }]
  await write({ format: new MkvOutputFormat(), sounds })
  /** By track: the roles, and the title that mediabunny reads. */
  const told = async (input: Input) => {
    const { roles } = await extrasOf(byteFile(readFileSync(folder.path('output.mp4'))))
    const names = await Promise.all((await input.getTracks()).map((track) => track.getName()))
    return names.map((name, at) => {
      const own = Buffer.from(roles?.get(at + 1) ?? []).toString('latin1')
      return [name, ...own.matchAll(/(?<=role:2011\0)\w+/g)].join(' ')
    })
  }
  const expected = ['', 'Plain', 'Both commentary caption', ' commentary caption']
  expect(await told(await result(await open()))).toEqual(expected)
  writeFileSync(folder.path('clip'), readFileSync(folder.path('output.mp4')))
  expect(await told(await result(await open()))).toEqual(expected)
})

it('tracks are for those who hear or see little, or dubbed, where Matroska’s flags say so', () => {
  const flags = (...bytes: number[]) => Buffer.from(rolesOfEntry(Uint8Array.from(bytes))).toString('latin1')
  expect(flags(0x55, 0xac, 0x81, 1)).toContain('\0description\0')
  expect(flags(0x55, 0xad, 0x81, 1)).toContain('\0description\0')
  expect(flags(0x55, 0xae, 0x81, 0)).toContain('\0dub\0')
  expect(flags(0x55, 0xae, 0x81, 1, 0x55, 0xab, 0x81, 0)).toBe('')
})

it.each<[string, OutputFormat]>([
  ['Matroska', new MkvOutputFormat()],
  ['MP4', new Mp4OutputFormat()],
  ['MP4 with keys', new Mp4OutputFormat({ metadataFormat: 'mdta' })],
])('what was written about a video in %s is kept, but not where it was recorded', async (_, format) => {
  const words = { title: 'Ein Film', artist: 'Ada', comment: 'Rough cut' }
  await write({ format, tags: { ...words, raw: { 'com.apple.quicktime.location.ISO6709': '+48+011/' } } })
  const { raw, ...tags } = await (await result(await open())).getMetadataTags()
  expect(tags).toEqual(words)
  expect(Object.keys(raw ?? {}).filter((name) => name.includes('location'))).toEqual([])
})

it.each<[string, OutputFormat, MetadataTags]>([
  ['Matroska', new MkvOutputFormat(), { date: new Date('2024-05-01') }],
  ['Matroska, as recorded', new MkvOutputFormat(), { raw: { DATE_RECORDED: '2024-05-01' } }],
  ['MP4', new Mp4OutputFormat(), { date: new Date('2024-05-01') }],
  ['MP4 with keys', new Mp4OutputFormat({ metadataFormat: 'mdta' }), { date: new Date('2024-05-01') }],
])('the date of a video in %s is kept', async (_, format, tags) => {
  await write({ format, tags })
  const { raw } = await (await result(await open())).getMetadataTags()
  expect(raw?.['date']).toBe('2024-05-01')
})

it('the title that Matroska has beside its tags is kept', async () => {
  // The name of the program that wrote it becomes its title (RFC 9559, 5.1.2).
  const patch = (bytes: Buffer): unknown => bytes.writeUInt16BE(0x7ba9, bytes.indexOf(Buffer.of(0x4d, 0x80)))
  await write({ format: new MkvOutputFormat(), patch })
  const { title } = await (await result(await open())).getMetadataTags()
  expect(title).toMatch(/mediabunny/i)
})

const cue = (from: number, to: number, text: string): Cue => ({ from, to, text: Buffer.from(text), style: Buffer.of() })
const texts: TextTrack[] = [
  {
    ...{ kind: 'subtitles', language: 'ger', name: 'Für alle', isDefault: true, roles: noRoles, entry: null },
    cues: [cue(0.1, 0.4, 'Eins'), cue(0.3, 0.6, 'Zwei'), cue(0.8, 0.9, 'Drei')],
  },
  {
    ...{ kind: 'chapters', language: 'und', name: '', isDefault: false, roles: noRoles, entry: null },
    cues: [cue(0.2, 0.5, 'Anfang'), cue(0.5, Infinity, 'Ende')],
  },
]
/** Kind, name and language of texts, and what is shown when. */
const shown = async ({ texts: read }: MediaInput) =>
  (await read()).map(({ kind, name, language, cues }) => [
    `${kind} ${name} ${language}`,
    ...cues.map(({ from, to, text }) => `${from.toFixed(2)} ${to.toFixed(2)} ${Buffer.from(text).toString()}`),
  ])

it('subtitles and chapters are in the result, those of a part at its times, and the index is where it was', async () => {
  await write({})
  const made = async (media: MediaInput) => {
    await result(media)
    const done = await openItem('output.mp4')
    expect(done.facts.missing).toEqual([])
    expect(readFileSync(folder.path('output.mp4')).toString('latin1', 32, 36)).toBe('moov')
    return shown(done)
  }
  const media = await open()
  expect(await made({ ...media, texts: () => Promise.resolve(texts) })).toEqual([
    ['subtitles Für alle ger', '0.10 0.30 Eins', '0.30 0.40 Eins\nZwei', '0.40 0.60 Zwei', '0.80 0.90 Drei'],
    ['chapters  und', '0.20 0.50 Anfang', '0.50 1.00 Ende'],
  ])
  const parts = [
    { fromMs: 0, toMs: 200 },
    { fromMs: 440, toMs: 800 },
  ]
  const plan = await planOf({ parts, rest: 'drop' }, media)
  expect(await made({ ...media, plan, texts: () => Promise.resolve(texts) })).toEqual([
    ['subtitles Für alle ger', '0.10 0.20 Eins', '0.20 0.36 Zwei'],
    ['chapters  und', '0.20 0.26 Anfang', '0.26 0.56 Ende'],
  ])
})

it('texts of any length have room in the index', async () => {
  await write({ frames: 5, sounds: [] })
  const long = Array.from({ length: 3000 }, (_, at) => cue(at / 20_000, (at + 1) / 20_000, 'Kapitel '.repeat(at % 9)))
  const media = { ...(await open()), texts: () => Promise.resolve([{ ...texts[0], cues: long } as TextTrack]) }
  await result(media)
  const done = await openItem('output.mp4')
  expect((await shown(done))[0]?.length).toBeGreaterThan(100)
  expect(done.facts.frames).toBe(5)
})

const image = { data: Uint8Array.of(0xff, 0xd8, 0xff), mimeType: 'image/jpeg' }
const cover: MetadataTags = { images: [{ ...image, kind: 'coverFront', name: 'cover.jpg' }] }
const attached = (type: string): MetadataTags => ({
  raw: { '7': new AttachedFile(Uint8Array.of(1, 2, 3), type, 'attached') },
})

it.each<[string, Parameters<typeof write>[0], string]>([
  ['a cover in Matroska', { format: new MkvOutputFormat(), tags: cover }, 'cover'],
  ['a cover in MP4', { tags: cover }, 'cover'],
  ['an attached font', { format: new MkvOutputFormat(), tags: attached('font/ttf') }, 'attachments'],
  ['an attached picture', { format: new MkvOutputFormat(), tags: attached('image/png') }, 'cover'],
  ['a further track of pictures', { morePictures: 1 }, 'pictures'],
])('%s is named as missing', async (_, clip, missing) => {
  await write(clip)
  expect((await open()).facts.missing).toEqual([missing])
})

it.each([
  [45, 0],
  [50, 0],
  [90, 90],
])('a display matrix of %i° turns the result by %i°', async (degrees, turned) => {
  const [cos, sin] = [Math.cos, Math.sin].map((of) => Math.round(of((degrees * Math.PI) / 180) * 65_536))
  const matrix = [cos, sin, 0, -Number(sin), cos]
  // ISO/IEC 14496-12, 8.3.2: a version 0 box has its matrix 40 bytes behind its name, in 16.16.
  await write({
    patch: (bytes) =>
      matrix.forEach((value, at) => bytes.writeInt32BE(value ?? 0, bytes.indexOf('tkhd') + 44 + at * 4)),
  })
  const { width, height, codedWidth, codedHeight, rotation } = (await open()).facts
  expect(rotation).toBe(turned)
  expect([width, height]).toEqual(turned === 90 ? [codedHeight, codedWidth] : [codedWidth, codedHeight])
})

it('colours that only the container tells are kept, also those for which WebCodecs has no name', async () => {
  const colorSpace = { primaries: 'bt470bg', transfer: 'smpte170m', matrix: 'bt470bg', fullRange: false } as const
  // RFC 9559, 5.1.4.1.28.26: what was 6 becomes BT.470BG's gamma of 2.8.
  const patch = (bytes: Buffer): unknown => bytes.writeUInt8(5, bytes.indexOf(Buffer.of(0x55, 0xba, 0x81, 6)) + 3)
  await write({ format: new MkvOutputFormat(), config: { colorSpace }, patch })
  expect((await open()).facts.tags).toEqual({ primaries: 5, transfer: 5, matrix: 5, full: false })
})

it('a single frame whose duration is not told lasts 40 ms, and has a rate', async () => {
  await write({ format: new MpegTsOutputFormat(), late: [1, 1], frames: 1, sounds: [] })
  const { facts, plan } = await open()
  expect(facts).toMatchObject({ frames: 1, durationMs: 40, fps: 25 })
  expect(plan.place({ timestamp: facts.firstTimestamp, duration: 0 }).duration).toBeCloseTo(0.04, 6)
  expect(facts.bitrate).toBeGreaterThan(1000)
  expect(facts.bitrate).toBeLessThan(1e8)
})

it('MPEG-TS that begins in the middle of a packet is read from the next one on', async () => {
  await write({ format: new MpegTsOutputFormat(), patch: (bytes) => Buffer.concat([bytes.subarray(100, 188), bytes]) })
  const media = await open()
  expect(media.facts).toMatchObject({ container: 'MPEG Transport Stream', frames: 25 })
  expect(await new EncodedPacketSink(media.video).getFirstPacket()).toBeTruthy()
})

it('MPEG-TS that begins before its first key frame has the frames from that on, and their times', async () => {
  // The clip has key frames at 0 and 0.2 s.
  let frames = 0
  // The picture's packets, without the tables: its first frame, which is the first key frame, and two others go.
  const isKept = (packet: Buffer): boolean => {
    const pid = packet.readUInt16BE(1) & 0x1fff
    if (pid !== 0x100) return true
    if ((packet.readUInt16BE(1) & 0x4000) !== 0) frames += 1
    return frames > 3
  }
  const patch = (bytes: Buffer): Buffer => {
    const packets = Array.from({ length: bytes.length / 188 }, (_, at) => bytes.subarray(at * 188, (at + 1) * 188))
    return Buffer.concat(packets.filter(isKept))
  }
  await write({ format: new MpegTsOutputFormat(), source: clips.patterns[1] ?? '', sounds: [], late: [1, 1], patch })
  const { facts, video } = await open()
  const { averagePacketRate: _, packetCount } = await video.computePacketStats()
  expect([packetCount, facts.frames, facts.firstTimestamp]).toEqual([frames - 3, frames - 5, 1.2])
  expect(facts.durationMs).toBe((frames - 5) * 40)
  const plan = await planOf({ parts: [{ fromMs: 0, toMs: 80 }], rest: 'drop' }, { video, facts })
  expect(plan.parts).toMatchObject([{ from: 1.2, frames: 2 }])
})

it('of MPEG-TS whose frames are made of two fields, the lines of both are counted', async () => {
  // x264's for 320 × 180 pixels, and a picture parameter set. ISO/IEC 14496-15, 5.3.3.1.
  const sps = Buffer.from('674d4015f40a19f93011000003000100000300321f142aa0', 'hex')
  const pps = Buffer.from('68de0fc8', 'hex')
  const description = Buffer.from([1, 77, 64, 21, 255, 225, 0, sps.length, ...sps, 1, 0, pps.length, ...pps])
  await write({ format: new MpegTsOutputFormat(), config: { description }, sounds: [] })
  const size = { codedWidth: 320, codedHeight: 180, width: 320, height: 180 }
  expect((await open()).facts).toMatchObject({ ...size, missing: ['fields'] })
})

it('the last frame of MPEG-TS lasts as long as the stream says, not as the frame before it', async () => {
  // The stream says 40 ms.
  const change = (packet: EncodedPacket) => packet.clone({ timestamp: packet.timestamp * 3 })
  await write({ format: new MpegTsOutputFormat(), change })
  const { video, facts, plan } = await open()
  const last = await new EncodedPacketSink(video).getPacket(Infinity)
  expect(last?.duration).toBeCloseTo(0.12, 4)
  expect(facts.durationMs).toBe(24 * 120 + 40)
  if (!last) throw new Error('no frame')
  expect(plan.place(last).duration).toBeCloseTo(0.04, 3)
  expect(plan.place({ timestamp: last.timestamp - 0.12, duration: 0.12 }).duration).toBe(0.12)
  const half = await planOf({ parts: [{ fromMs: 500, toMs: 5000 }], rest: 'drop' }, { video, facts })
  expect(half.place(last).duration).toBeCloseTo(0.04, 3)
  const kept = await planOf({ parts: [{ fromMs: 500, toMs: 5000 }], rest: 'keep' }, { video, facts })
  expect(kept.place(last).duration).toBeCloseTo(0.04, 3)
})

/** Parameter sets of 320 × 180 pixels and of 640 × 360, with their lengths. */
const parameters = (hex: string): Buffer => Buffer.from([0, 0, 0, hex.length / 2, ...Buffer.from(hex, 'hex')])
const [small, large] = [parameters('67640014acd9414186'), parameters('67640014acd940a02ff97016')]

it.each<[string, OutputFormat, Buffer, string]>([
  ['of MP4 whose size changes is refused before its swap', new Mp4OutputFormat(), small, 'size-changes'],
  ['of Matroska whose size changes is, too', new MkvOutputFormat(), small, 'size-changes'],
  ['that repeats its size isn’t', new Mp4OutputFormat(), large, ''],
])('a video %s', async (_, format, unit, reason) => {
  // Only the last frame but one has a parameter set of its own, as where two videos were joined.
  let count = 0
  const change = (packet: EncodedPacket): EncodedPacket => {
    const moved = packet.clone({ timestamp: count / 25 })
    count += 1
    return count === 24 ? moved.clone({ type: 'key', data: Buffer.concat([unit, packet.data]) }) : moved
  }
  await write({ format, change })
  const media = await open()
  const refused = await refuseChangingSize(media).then(
    () => '',
    (error: unknown) => String((error as { details?: { reason?: string } }).details?.reason),
  )
  expect(refused).toBe(reason)
})

it('the last frame of MP4 lasts as long as its edit says', async () => {
  await write({ sounds: [], late: [0.2, 0] })
  const bytes = readFileSync(folder.path('clip'))
  // ISO/IEC 14496-12, 8.6.6: the second edit's length, behind version, flags, their number and the first edit: nothing.
  const at = bytes.indexOf('elst') + 12 + 12
  const before = (await open()).facts
  bytes.writeUInt32BE(bytes.readUInt32BE(at) - Math.round(0.03 * bytes.readUInt32BE(bytes.indexOf('mvhd') + 16)), at)
  writeFileSync(folder.path('clip'), bytes)
  const { facts, plan, video } = await open()
  expect([before.durationMs, facts.durationMs, facts.missing]).toEqual([1000, 970, []])
  const last = await new EncodedPacketSink(video).getPacket(Infinity)
  expect(last && plan.place(last).duration).toBeCloseTo(0.01, 3)
})

it.each<[string, OutputFormat]>([
  ['Matroska', new MkvOutputFormat()],
  ['MPEG-TS', new MpegTsOutputFormat()],
])(
  'H.264 in %s that the decoder can’t begin at any frame is refused by its name, not as damaged',
  async (_, format) => {
    // Slices of IDR frames, which have their lengths before them, become those of other frames (ITU-T H.264, table 7-1).
    const change = (packet: EncodedPacket) => {
      const data = Buffer.from(packet.data)
      for (let at = 0; at < data.length; at += 4 + data.readUInt32BE(at))
        if (((data[at + 4] ?? 0) & 31) === 5) data[at + 4] = 0x61
      return packet.clone({ data })
    }
    await write({ format, change, sounds: [] })
    await expect(open()).rejects.toMatchObject({ code: 'codec-unsupported', details: { reason: 'no-start' } })
  },
)

it('transparency is refused by its name', async () => {
  const change = (packet: EncodedPacket) => packet.clone({ sideData: { alpha: packet.data } })
  await write({ format: new MkvOutputFormat(), change })
  await expect(open().then(({ facts }) => facts.codec)).rejects.toMatchObject({
    code: 'codec-unsupported',
    details: { reason: 'transparency', codec: 'avc' },
  })
})
