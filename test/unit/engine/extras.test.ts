/** @file Texts, what results don't have of a file, and its colours, found in its index. */
import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { box, joined, u32 } from '../../../src/renderer/engine/media/containers/boxes.ts'
import { extrasOf } from '../../../src/renderer/engine/media/demux/extras.ts'
import { byteFile } from './byte-file.ts'

type Bytes = ArrayLike<number>

const text = (name: string): number[] => [...Buffer.from(name, 'latin1')]
const track = (id: number, handler: string, ...more: Bytes[]): Bytes =>
  box(
    'trak',
    box('tkhd', u32(0), u32(0), u32(0), u32(id)),
    box('mdia', box('hdlr', u32(0), u32(0), text(handler))),
    ...more,
  )
const element = (id: number[], ...contents: Bytes[]): number[] => {
  const all = joined(...contents)
  return [...id, 0x40, all.length, ...all]
}

const extras = (...parts: Bytes[]) => extrasOf(byteFile(joined(...parts)))

/** The texts of a file, as lines with their times. */
const textsOf = async (...parts: Bytes[]) =>
  (await (await extras(...parts)).texts()).map(({ cues, entry: _, roles: _roles, ...track }) => ({
    ...track,
    cues: cues.map(
      ({ from, to, text: shown }) => `${from.toFixed(2)} ${to.toFixed(2)} ${Buffer.from(shown).toString()}`,
    ),
  }))

/** A movie with a clock of 1000, and a track of that clock. @param edits lengths and places. @param speed 16.16 */
const movie = box('mvhd', u32(0), u32(0), u32(0), u32(1000), u32(0))
const edited = (length: number, edits: number[], handler: string, speed = 0x10000): Bytes => {
  const entries = edits.flatMap((value, at) => [...u32(value), ...(at % 2 === 1 ? u32(speed) : [])])
  const list = box('edts', box('elst', u32(0), u32(edits.length / 2), entries))
  const clock = box('mdhd', u32(0), u32(0), u32(0), u32(1000), u32(length))
  const media = box('mdia', clock, box('hdlr', u32(0), u32(0), text(handler)))
  return box('trak', box('tkhd', u32(0), u32(0), u32(0), u32(1)), list, media)
}

const start = box('ftyp', text('isom'))
const fragment = [box('moof', u32(1)), box('mdat', u32(2), u32(3))]

it.each([
  ['nothing', [track(1, 'vide'), track(2, 'soun')], []],
  ['subtitles', [track(1, 'vide'), track(2, 'sbtl')], ['subtitles']],
  ['chapters as a track', [track(1, 'vide', box('tref', box('chap', u32(2)))), track(2, 'text')], ['chapters']],
  ['one edit that begins late', [movie, edited(2200, [2000, 200], 'vide')], []],
  ['an edit of sound that fills its last packet', [movie, edited(2090, [2000, 45], 'soun')], []],
  ['an edit to the end, whose length isn’t told', [movie, edited(4000, [0, 0], 'vide')], []],
  ['nothing, then one edit', [movie, edited(2000, [500, 0xffffffff, 2000, 0], 'vide')], []],
  ['an end that is cut off', [movie, edited(4000, [1000, 0], 'vide')], ['edits']],
  ['a middle that is cut out', [movie, edited(2000, [500, 0, 500, 1500], 'vide')], ['edits']],
  ['a middle and an end that are cut out', [movie, edited(2000, [500, 0, 200, 1000], 'vide')], ['edits']],
  ['edits that go on where the one before ends', [movie, edited(2000, [500, 0, 499, 501, 1000, 1000], 'vide')], []],
  ['a part that is shown again', [movie, edited(2000, [2000, 0, 500, 0], 'vide')], ['order']],
  ['parts in another order', [movie, edited(2000, [1000, 1000, 1000, 0], 'vide')], ['order']],
  ['a pause', [movie, edited(2000, [1000, 0, 500, 0xffffffff, 1000, 1000], 'vide')], ['order']],
  ['another speed', [movie, edited(2000, [1000, 0], 'vide', 0x8000)], ['order']],
  ['a timecode', [track(1, 'vide'), track(2, 'tmcd')], ['timecode']],
])('in MP4: %s', async (_, contents, missing) => {
  expect((await extras(start, box('moov', ...contents))).missing).toEqual(missing)
})

it('a cut-off fragmented MP4 can be read up to its last whole fragment', async () => {
  const whole = [start, box('moov', track(1, 'vide')), ...fragment, ...fragment]
  const bytes = joined(...whole)
  expect(await extras(...whole)).toMatchObject({ missing: [], end: bytes.length })
  const end = bytes.length - joined(...fragment).length
  expect(await extras(bytes.subarray(0, -1))).toMatchObject({ missing: ['end'], end })
})

it('pictures of two sizes in one track of MP4 are refused', async () => {
  const sized = (size: number): Bytes => box('avc1', Array<number>(24).fill(0), u32(size), Array<number>(50).fill(0))
  const described = (...entries: Bytes[]): Bytes =>
    box('moov', track(1, 'vide', box('mdia', box('minf', box('stbl', box('stsd', u32(0), u32(entries.length), ...entries)))))) // prettier-ignore
  const [large, small] = [sized(0x02800168), sized(0x014000b4)]
  expect((await extras(start, described(large, large))).missing).toEqual([])
  const error = { code: 'codec-unsupported', details: { reason: 'size-changes' } }
  await expect(extras(start, described(large, small, large))).rejects.toMatchObject(error)
})

const segmentOf = (...contents: Bytes[]): number[] => element([0x18, 0x53, 0x80, 0x67], ...contents)
const ebml = element([0x1a, 0x45, 0xdf, 0xa3], [0x42, 0x86, 0x81, 1])
const tracks = (...entries: Bytes[]): number[] =>
  element([0x16, 0x54, 0xae, 0x6b], ...entries.map((entry) => element([0xae], entry)))
const typed = (type: number): number[] => [0x83, 0x81, type]
const packing = (algorithm: number): number[] =>
  element([0x6d, 0x80], element([0x62, 0x40], element([0x50, 0x34], [0x42, 0x54, 0x81, algorithm], element([0x42, 0x55], text('He'))))) // prettier-ignore
const subtitled = (codec: string, ...more: number[][]): number[] =>
  [[0xd7, 0x81, 2], typed(0x11), element([0x86], text(codec)), ...more].flat()

it.each([
  ['nothing', segmentOf(tracks(typed(1), typed(2))), []],
  ['subtitles that are pictures', segmentOf(tracks(typed(1), subtitled('S_VOBSUB'))), ['subtitles']],
  ['styles', segmentOf(tracks(typed(1), subtitled('S_TEXT/ASS'), subtitled('S_TEXT/SSA'))), ['styles']],
  ['packed subtitles', segmentOf(tracks(typed(1), subtitled('S_TEXT/UTF8', packing(1)))), ['subtitles']],
  ['the original language', segmentOf(tracks([typed(2), [0x55, 0xae, 0x81, 1]].flat(), [typed(2), [0x55, 0xae, 0x81, 1]].flat())), ['original']], // prettier-ignore
  ['no end', segmentOf(tracks(typed(1)), element([0x1f, 0x43, 0xb6, 0x75], [1, 2, 3])).slice(0, -1), ['end']],
])('in Matroska: %s', async (_, segment, missing) => expect((await extras(ebml, segment)).missing).toEqual(missing))

/** A block of track 2, `ticks` after its cluster, and a length. */
const block = (ticks: number, contents: number[]): number[] => [0x82, 0, ticks, 0, ...contents]
const group = (ticks: number, contents: number[], length: number): number[] =>
  element([0xa0], element([0xa1], block(ticks, contents)), [0x9b, 0x81, length])

it.each([
  ['SubRip', 'S_TEXT/UTF8', [], text('<i>Hello</i>\r\n{\\an8}there'), 'Hello\nthere'],
  [
    'SubStation Alpha',
    'S_TEXT/ASS',
    [],
    text('1,0,Default,,0,0,0,,{\\b1}Hello{\\b0}, you\\Nthere'),
    'Hello, you\nthere',
  ],
  ['WebVTT', 'S_TEXT/WEBVTT', [], text('<v Ann>you &amp; I &lt;3</v>'), 'you & I <3'],
  ['WebVTT of WebM', 'D_WEBVTT/SUBTITLES', [], text('1\nline:0\nHello'), 'Hello'],
  ['deflated', 'S_TEXT/UTF8', packing(0), [...deflateSync('Hello')], 'Hello'],
  ['without their first letters', 'S_TEXT/UTF8', packing(3), text('llo'), 'Hello'],
])('subtitles of Matroska are read: %s', async (_, codec, packed, contents, shown) => {
  const entry = subtitled(codec, packed, element([0x22, 0xb5, 0x9c], text('fre')), element([0x53, 0x6e], text('Tous')), [0x88, 0x81, 0]) // prettier-ignore
  const cluster = (time: number, ...blocks: Bytes[]): number[] =>
    element([0x1f, 0x43, 0xb6, 0x75], [0xe7, 0x81, time], ...blocks)
  const segment = segmentOf(
    tracks(typed(1), entry),
    cluster(10, element([0xa3], [0x81, 0, 0, 0, 9, 9]), group(20, contents, 100)),
    cluster(200, group(0, contents, 50)),
  )
  expect(await textsOf(ebml, segment)).toEqual([
    {
      ...{ kind: 'subtitles', language: 'fre', name: 'Tous', isDefault: false },
      cues: [`0.03 0.13 ${shown}`, `0.20 0.25 ${shown}`],
    },
  ])
})

it('subtitles of Matroska are shown unless the file says otherwise', async () => {
  const cluster = element([0x1f, 0x43, 0xb6, 0x75], [0xe7, 0x81, 10], group(20, text('Hello'), 100))
  const segment = segmentOf(tracks(typed(1), subtitled('S_TEXT/UTF8')), cluster)
  expect(await textsOf(ebml, segment)).toMatchObject([{ language: 'eng', isDefault: true }])
})

const chapter = (ms: number, title: string, ...more: Bytes[]): number[] =>
  element([0xb6], element([0x91], [...Buffer.from((BigInt(ms) * 1_000_000n).toString(16).padStart(10, '0'), 'hex')]), element([0x80], element([0x85], text(title))), ...more) // prettier-ignore

it('chapters of Matroska are read, those in others too, of the usual edition, behind the picture', async () => {
  const editions = [
    element([0x45, 0xb9], chapter(0, 'Other')),
    element([0x45, 0xb9], [0x45, 0xdb, 0x81, 1], chapter(1000, 'Two'), chapter(0, 'One', chapter(500, 'Half')), chapter(700, 'Hidden', [0x98, 0x81, 1])), // prettier-ignore
  ]
  const cluster = element([0x1f, 0x43, 0xb6, 0x75], [0xe7, 0x81, 0], element([0xa3], [0x81, 0, 0, 0, 9, 9]))
  const segment = segmentOf(tracks(typed(1)), cluster, element([0x10, 0x43, 0xa7, 0x70], ...editions))
  expect(await textsOf(ebml, segment)).toMatchObject([
    { kind: 'chapters', cues: ['0.00 0.50 One', '0.50 1.00 Half', '1.00 Infinity Two'] },
  ])
})

/** A track of texts, one each second, whose samples begin at `at` in the file. */
const written = (entry: string, at: number, samples: number[][], edits: number[] = []): Uint8Array => {
  const clock = box('mdhd', u32(0), u32(0), u32(0), u32(10), u32(0), [0x15, 0xc7, 0, 0])
  const table = box(
    'stbl',
    box('stsd', u32(0), u32(1), box(entry, [0, 0, 0, 0, 0, 0, 0, 1])),
    box('stts', u32(0), u32(1), u32(samples.length), u32(10)),
    box('stsc', u32(0), u32(1), u32(1), u32(samples.length), u32(1)),
    box('stsz', u32(0), u32(0), u32(samples.length), ...samples.map(({ length }) => u32(length))),
    box('stco', u32(0), u32(1), u32(at)),
  )
  const list = box('elst', u32(0), u32(edits.length / 2), edits.flatMap((value, place) => [...u32(value), ...(place % 2 === 1 ? u32(0x10000) : [])])) // prettier-ignore
  return box(
    'trak',
    box('tkhd', u32(3), u32(0), u32(0), u32(2)),
    edits.length > 0 ? box('edts', list) : [],
    box('mdia', clock, box('hdlr', u32(0), u32(0), text('text')), box('minf', table)),
  )
}
const sampleOf = (bytes: number[]): number[] => [0, bytes.length, ...bytes]
const samples = [sampleOf(text('One')), sampleOf([]), sampleOf([0x45, 0x6e, 0x9f])]
const data = box('mdat', ...samples)

it('texts of MP4 are read at their places, without gaps, in the Macintosh’s letters', async () => {
  const at = start.length + 8
  const cues = ['0.00 1.00 One', '2.00 3.00 Enü']
  const index = (...traks: Bytes[]): Bytes => box('moov', movie, ...traks)
  expect(await textsOf(start, data, index(written('text', at, samples)))).toEqual([
    { kind: 'subtitles', language: 'eng', name: '', isDefault: true, cues },
  ])
  const later = written('text', at, samples, [2000, 0xffffffff, 3000, 5])
  expect(await textsOf(start, data, index(later))).toMatchObject([{ cues: ['1.50 2.50 One', '3.50 4.50 Enü'] }])
  const named = track(1, 'vide', box('tref', box('chap', u32(2))))
  expect(await textsOf(start, data, index(named, written('text', at, samples)))).toMatchObject([
    { kind: 'chapters', cues },
  ])
})

it('texts beyond the end of the file, and more than there can be, are left out', async () => {
  const far = written('text', 1000, samples)
  expect(await textsOf(start, data, box('moov', movie, far))).toMatchObject([{ cues: [] }])
  const many = written('text', start.length + 8, samples).map((byte, at, all) =>
    text('stsz').every((letter, place) => all[at - 12 + place] === letter) ? 0xff : byte,
  )
  expect(await textsOf(start, data, box('moov', movie, many))).toMatchObject([
    { cues: ['0.00 1.00 One', '2.00 3.00 Enü'] },
  ])
})

it('a list of chapters is read where no track has them', async () => {
  const entry = (tenths: number, title: string): number[] => [
    ...u32(0),
    ...u32(tenths * 1e6),
    title.length,
    ...text(title),
  ]
  const list = box('udta', box('chpl', u32(0x1000000), u32(0), [2], entry(0, 'One'), entry(5, 'Two')))
  expect(await textsOf(start, box('moov', track(1, 'vide'), list))).toMatchObject([
    { kind: 'chapters', cues: ['0.00 0.50 One', '0.50 Infinity Two'] },
  ])
  const named = track(1, 'vide', box('tref', box('chap', u32(2))))
  const both = box('moov', movie, named, written('text', start.length + 8, samples), list)
  expect(await textsOf(start, data, both)).toMatchObject([{ cues: ['0.00 1.00 One', '2.00 3.00 Enü'] }])
})

/** BT.470BG's primaries and transfer, for which WebCodecs has no name, and 240M's matrix. */
const odd = { primaries: 5, transfer: 5, matrix: 7 }

it.each([
  ['a box', box('colr', text('nclx'), [0, 5, 0, 5, 0, 7, 0x80]), true],
  ['a box of QuickTime', box('colr', text('nclc'), [0, 5, 0, 5, 0, 7]), false],
  ['the configuration of VP9', box('vpcC', u32(0x1000000), [0, 10, 0x82, 5, 5, 7, 0, 0]), false],
  ['the configuration of VP9, in full range', box('vpcC', u32(0x1000000), [0, 10, 0x83, 5, 5, 7, 0, 0]), true],
])('the colours of an MP4 track are read from %s', async (_, colours, full) => {
  const entry = box('stsd', u32(0), u32(1), box('vp09', new Array<number>(78).fill(0), colours))
  const media = box('mdia', box('minf', box('stbl', entry)))
  const { colors } = await extras(start, box('moov', track(1, 'soun'), track(2, 'vide', media)))
  expect([...colors]).toEqual([[2, { ...odd, full }]])
})

it('the colours of a Matroska track are read from its element', async () => {
  const fields = [[0x55, 0xba, 0x81, 5], [0x55, 0xbb, 0x81, 5], [0x55, 0xb1, 0x81, 7], [0x55, 0xb9, 0x81, 2]] // prettier-ignore
  const video = element([0xe0], element([0x55, 0xb0], ...fields))
  const entry = [0xd7, 0x81, 3, ...typed(1), ...video]
  expect([...(await extras(ebml, segmentOf(tracks(entry)))).colors]).toEqual([[3, { ...odd, full: true }]])
})

it('codecs of Matroska are named where its ids don’t', async () => {
  const coded = (number: number, id: string, data: number[]): number[] =>
    [[0xd7, 0x81, number], element([0x86], text(id)), element([0x63, 0xa2], data)].flat()
  const bitmap = (code: string): number[] => [...new Array<number>(16).fill(0), ...text(code)]
  const { codecs } = await extras(
    ebml,
    segmentOf(
      tracks(
        coded(1, 'V_MS/VFW/FOURCC', bitmap('XVID')),
        coded(2, 'V_QUICKTIME', [...u32(86), ...text('SVQ3')]),
        coded(3, 'A_MS/ACM', [0x61, 1, 2, 0]),
        coded(4, 'V_MPEG2', []),
        coded(5, 'V_MS/VFW/FOURCC', bitmap('\x01\0\0\0')),
      ),
    ),
  )
  expect([...(codecs ?? [])]).toEqual([[1, 'XVID'], [2, 'SVQ3'], [3, 'wma']]) // prettier-ignore
})

it('how much earlier a Matroska track is played is read', async () => {
  const entry = [0xd7, 0x81, 2, ...typed(2), 0x56, 0xaa, 0x83, 0x63, 0x2e, 0xa0]
  const { delays } = await extras(ebml, segmentOf(tracks([0xd7, 0x81, 1, ...typed(1)], entry)))
  expect([...(delays ?? [])]).toEqual([[1, 0], [2, 0.0065]]) // prettier-ignore
})

it('languages are read where they are Macintosh’s', async () => {
  const spoken = (id: number, code: number): Bytes =>
    track(id, 'soun', box('mdia', box('mdhd', u32(0), u32(0), u32(0), u32(600), u32(600), [code >> 8, code & 255])))
  const index = box('moov', spoken(1, 0), spoken(2, 2), spoken(3, 0x55c4), spoken(4, 32_767))
  const languages = async (brand: string) => [...((await extras(box('ftyp', text(brand)), index)).languages ?? [])]
  expect(await languages('qt  ')).toEqual([[1, 'eng'], [2, 'ger']]) // prettier-ignore
  expect(await languages('isom')).toEqual([])
})
