/** @file What results don't have of a file, and its colours, found in its index. */
import { expect, it } from 'vitest'
import { extrasOf } from '../../../src/renderer/engine/media/demux/extras.ts'

const u32 = (value: number): number[] => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]
const text = (name: string): number[] => [...Buffer.from(name, 'latin1')]
const box = (name: string, ...contents: number[][]): number[] => [
  ...u32(8 + contents.flat().length),
  ...text(name),
  ...contents.flat(),
]
const track = (id: number, handler: string, ...more: number[][]): number[] =>
  box(
    'trak',
    box('tkhd', u32(0), u32(0), u32(0), u32(id)),
    box('mdia', box('hdlr', u32(0), u32(0), text(handler))),
    ...more,
  )
const element = (id: number[], ...contents: number[][]): number[] => [
  ...id,
  0x40,
  contents.flat().length,
  ...contents.flat(),
]

const extras = (...parts: number[][]) => {
  const bytes = Uint8Array.from(parts.flat())
  const read = (from: number, to: number) => Promise.resolve(bytes.slice(from, to))
  return extrasOf({ size: () => Promise.resolve(bytes.length), read })
}

/** A movie with a clock of 1000, and a track of that clock. @param edits lengths and places */
const movie = box('mvhd', u32(0), u32(0), u32(0), u32(1000), u32(0))
const edited = (length: number, edits: number[], handler: string): number[] => {
  const entries = edits.flatMap((value, at) => [...u32(value), ...(at % 2 === 1 ? u32(0x10000) : [])])
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
  ['chapters as a list', [track(1, 'vide'), box('udta', box('chpl', u32(0)))], ['chapters']],
])('in MP4: %s', async (_, contents, missing) => {
  expect((await extras(start, box('moov', ...contents))).missing).toEqual(missing)
})

it('a cut-off fragmented MP4 can be read up to its last whole fragment', async () => {
  const whole = [start, box('moov', track(1, 'vide')), ...fragment, ...fragment]
  const size = whole.flat().length
  expect(await extras(...whole)).toMatchObject({ missing: [], end: size })
  expect(await extras(whole.flat().slice(0, -1))).toMatchObject({
    missing: ['end'],
    end: size - fragment.flat().length,
  })
})

const segmentOf = (...contents: number[][]): number[] => element([0x18, 0x53, 0x80, 0x67], ...contents)
const ebml = element([0x1a, 0x45, 0xdf, 0xa3], [0x42, 0x86, 0x81, 1])
const tracks = (type: number): number[] => element([0x16, 0x54, 0xae, 0x6b], element([0xae], [0x83, 0x81, type]))

it.each([
  ['nothing', segmentOf(tracks(1), tracks(2)), []],
  ['subtitles', segmentOf(tracks(1), tracks(0x11)), ['subtitles']],
  ['chapters', segmentOf(tracks(1), element([0x10, 0x43, 0xa7, 0x70], [1])), ['chapters']],
  [
    'chapters behind the picture',
    segmentOf(element([0x11, 0x4d, 0x9b, 0x74], [0x53, 0xab, 0x84, 0x10, 0x43, 0xa7, 0x70])),
    ['chapters'],
  ],
  ['no end', segmentOf(tracks(1), element([0x1f, 0x43, 0xb6, 0x75], [1, 2, 3])).slice(0, -1), ['end']],
])('in Matroska: %s', async (_, segment, missing) => expect((await extras(ebml, segment)).missing).toEqual(missing))

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
  const all = element([0x16, 0x54, 0xae, 0x6b], element([0xae], [0xd7, 0x81, 3], [0x83, 0x81, 1], video))
  expect([...(await extras(ebml, segmentOf(all))).colors]).toEqual([[3, { ...odd, full: true }]])
})

it('how much earlier a Matroska track is played is read', async () => {
  const entry = element([0xae], [0xd7, 0x81, 2], [0x83, 0x81, 2], [0x56, 0xaa, 0x83, 0x63, 0x2e, 0xa0])
  const other = element([0xae], [0xd7, 0x81, 1], [0x83, 0x81, 1])
  const { delays } = await extras(ebml, segmentOf(element([0x16, 0x54, 0xae, 0x6b], other, entry)))
  expect([...(delays ?? [])]).toEqual([[1, 0], [2, 0.0065]]) // prettier-ignore
})

it('languages are read where they are Macintosh’s', async () => {
  const spoken = (id: number, code: number): number[] =>
    track(id, 'soun', box('mdia', box('mdhd', u32(0), u32(0), u32(0), u32(600), u32(600), [code >> 8, code & 255])))
  const index = box('moov', spoken(1, 0), spoken(2, 2), spoken(3, 0x55c4), spoken(4, 32_767))
  const languages = async (brand: string) => [...((await extras(box('ftyp', text(brand)), index)).languages ?? [])]
  expect(await languages('qt  ')).toEqual([[1, 'eng'], [2, 'ger']]) // prettier-ignore
  expect(await languages('isom')).toEqual([])
})
