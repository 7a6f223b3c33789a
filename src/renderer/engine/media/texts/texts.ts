/**
 * @file Subtitles and chapters of a video, as texts with times, and their places in a result. Adds them to the index of an
 * MP4 file: subtitles as timed text (3GPP TS 26.245), chapters as a QuickTime text track, which the picture's track names
 * (QuickTime File Format, "Chapter Lists"). Also adds what tracks are for.
 */
import { noRoles, type Roles } from '../containers/roles.ts'
import type { SwapPlan } from '../range/swap-plan.ts'
import { box, boxesIn, boxIn, joined, nameAt, numberAt, trackIdAt, u16, u32, type Box } from '../containers/boxes.ts'

/** A text while it is shown, or a chapter. Times are seconds in the file. */
export interface Cue {
  from: number
  to: number
  /** In UTF-8. */
  text: Uint8Array
  /** Boxes for its style (3GPP TS 26.245, 5.17). */
  style: Uint8Array
}

export interface TextTrack {
  kind: 'subtitles' | 'chapters'
  /** ISO 639-2. */
  language: string
  name: string
  isDefault: boolean
  /** What it is for. */
  roles: Roles
  /** Its `tx3g` sample entry; null: that of `plainEntry`. */
  entry: Uint8Array | null
  /** By their beginnings. */
  cues: Cue[]
}

export const noTexts = (): Promise<TextTrack[]> => Promise.resolve([])

/** The cues of a result, cut to the parts that it has. */
export function placeCues(cues: readonly Cue[], { drops, parts, shift: all, end }: SwapPlan): Cue[] {
  const placed: Cue[] = []
  for (const { from, to, shift } of drops ? parts : [{ from: -all, to: end, shift: all }])
    for (const cue of cues) {
      const own = { ...cue, from: Math.max(cue.from, from) + shift, to: Math.min(cue.to, to) + shift }
      const last = placed.at(-1)
      if (own.to <= own.from) continue
      // A text that is shown at a cut goes on behind it.
      if (last?.text === own.text) last.to = own.to
      else placed.push(own)
    }
  return placed
}

/** A chapter goes on until the next one. @param starts by their beginnings; times in seconds */
export const chaptersOf = (starts: readonly { from: number; title: string }[]): TextTrack[] =>
  starts.length === 0
    ? []
    : [
        {
          ...{ kind: 'chapters', language: 'und', name: '', isDefault: false, roles: noRoles, entry: null },
          cues: starts.map(({ from, title }, index) => ({
            ...{ from, to: starts[index + 1]?.from ?? Infinity },
            ...{ text: new TextEncoder().encode(title), style: new Uint8Array() },
          })),
        },
      ]

/** Ticks per second of the tracks. */
const clock = 1000
const letters = (text: string): Uint8Array => new TextEncoder().encode(text)
const zeros = (count: number): number[] => new Array<number>(count).fill(0)
const matrix = [...u32(0x10000), ...zeros(12), ...u32(0x10000), ...zeros(12), ...u32(0x40000000)]
/** Flags of a sample entry: some, and all samples are forced. */
const forced = 0xc0000000

/** An entry for white texts in the middle of the picture's lower edge, as tall as players like. */
export const plainEntry = (isForced = false): Uint8Array<ArrayBuffer> => {
  const font = letters('Sans-Serif')
  const style = [...u32(0), ...u16(1), 0, 18, 255, 255, 255, 255]
  const fonts = box('ftab', u16(1), u16(1), [font.length], font)
  // Centred, and at the bottom, which is -1.
  return box('tx3g', zeros(6), u16(1), u32(isForced ? forced : 0), [1, 255], zeros(4 + 8), style, fonts)
}

/** QuickTime's text sample description: no flags, left, black on white, no box, font or style. */
const chapterEntry = box('text', zeros(6), u16(1), zeros(4 + 4 + 6 + 8 + 8 + 2 + 2 + 1 + 2 + 6 + 1))
/** Says that a QuickTime text is in UTF-8. */
const utf8 = box('encd', u32(0x100))

interface Sample {
  /** Ticks. */
  length: number
  data: Uint8Array
}

/**
 * The samples of a track, one after the other: of subtitles from 0, of chapters from the first. Texts at the same time
 * are one sample.
 */
function samplesOf({ kind, cues }: TextTrack): { start: number; samples: Sample[] } {
  const ticks = (seconds: number): number => Math.round(seconds * clock)
  const first = kind === 'chapters' ? [] : [0]
  const edges = cues.flatMap(({ from, to }) => [ticks(from), ticks(to)])
  const times = [...new Set([...first, ...edges])].sort((a, b) => a - b)
  const samples: Sample[] = []
  let shown: Cue[] = []
  let next = 0
  for (const [index, at] of times.slice(0, -1).entries()) {
    shown = shown.filter(({ to }) => ticks(to) > at)
    for (let cue = cues[next]; cue && ticks(cue.from) <= at; cue = cues[next]) {
      if (ticks(cue.to) > at) shown.push(cue)
      next += 1
    }
    const [only] = shown
    const text = joined(...shown.flatMap((cue, line) => (line > 0 ? [[10], cue.text] : [cue.text]))).subarray(0, 0xffff)
    const more = kind === 'chapters' ? utf8 : only && shown.length === 1 ? only.style : []
    const data = text.length > 0 ? joined(u16(text.length), text, more) : joined(u16(0))
    samples.push({ length: (times[index + 1] ?? at) - at, data })
  }
  return { start: times[0] ?? 0, samples }
}

/** @param at offset of its samples in the file. @param movie ticks per second of the file */
function trackBox(track: TextTrack, id: number, at: number, movie: number): Uint8Array<ArrayBuffer> {
  const { start, samples } = samplesOf(track)
  const isChapters = track.kind === 'chapters'
  const length = samples.reduce((sum, sample) => sum + sample.length, 0)
  const inMovie = (ticks: number): number => Math.round((ticks * movie) / clock)
  // Chapters aren't shown.
  const flags = track.isDefault && !isChapters ? 3 : 2
  const group = isChapters ? 0 : 2
  const language = track.language.split('').reduce((sum, letter) => (sum << 5) | (letter.charCodeAt(0) - 0x60), 0)
  const name = letters(track.name)
  const header = [...zeros(8), ...u32(id), ...zeros(4), ...u32(inMovie(start + length)), ...zeros(8 + 2), ...u16(group)]
  const edits = [...u32(inMovie(start)), ...u32(0xffffffff), ...u16(1), 0, 0, ...u32(inMovie(length)), ...u32(0), ...u16(1), 0, 0] // prettier-ignore
  const media = isChapters
    ? box('gmhd', box('gmin', u32(0), u16(0x40), zeros(10)), box('text', matrix))
    : box('nmhd', u32(0))
  const sizes = samples.flatMap(({ data }) => u32(data.length))
  const times = samples.flatMap((sample) => [...u32(1), ...u32(sample.length)])
  const table = box(
    'stbl',
    box('stsd', u32(0), u32(1), isChapters ? chapterEntry : (track.entry ?? plainEntry())),
    box('stts', u32(0), u32(samples.length), times),
    box('stsc', u32(0), u32(1), u32(1), u32(samples.length), u32(1)),
    box('stsz', u32(0), u32(0), u32(samples.length), sizes),
    box('stco', u32(0), u32(1), u32(at)),
  )
  return box(
    'trak',
    box('tkhd', u32(flags), header, zeros(2 + 2), matrix, zeros(8)),
    start > 0 ? box('edts', box('elst', u32(0), u32(2), edits)) : [],
    box(
      'mdia',
      box('mdhd', zeros(12), u32(clock), u32(length), u16(language), u16(0)),
      box('hdlr', zeros(8), letters(isChapters ? 'text' : 'sbtl'), zeros(12), name, [0]),
      box('minf', media, box('dinf', box('dref', u32(0), u32(1), box('url ', u32(1)))), table),
    ),
    name.length + track.roles.length > 0 ? box('udta', name.length > 0 ? box('name', name) : [], track.roles) : [],
  )
}

/** A track of an index that names chapters, if it is the picture's, and says what it is for. */
function withMore(moov: Uint8Array, track: Box, chapters: number[], roles: ReadonlyMap<number, Roles>): Uint8Array {
  const [header, handler] = [boxIn(moov, track, 'tkhd'), boxIn(moov, track, 'mdia', 'hdlr')]
  const isPicture = handler && nameAt(moov, handler.from + 8) === 'vide'
  const own = header ? roles.get(trackIdAt(moov, header.from)) : undefined
  const boxes = [...boxesIn(moov, track)]
  const bytesOf = ({ at, to }: Box): Uint8Array => moov.subarray(at, to)
  const told = boxes.filter(({ name }) => name === 'udta').map(({ from, to }) => moov.subarray(from, to))
  return box(
    'trak',
    ...boxes.filter(({ name }) => name !== 'udta').map(bytesOf),
    isPicture && chapters.length > 0 ? box('tref', box('chap', chapters)) : [],
    told.length > 0 || own ? box('udta', ...told, own ?? []) : [],
  )
}

/**
 * @param moov a whole box
 * @param at its offset in the file
 * @param tracks with at least one cue each
 * @param roles of the tracks that it has, by their ids
 * @returns what may stand in its place: the index with the tracks, and their texts behind it
 */
export function withTexts(
  moov: Uint8Array,
  at: number,
  tracks: readonly TextTrack[],
  roles: ReadonlyMap<number, Roles>,
): Uint8Array<ArrayBuffer> {
  const inside = { from: 8, to: moov.length }
  const [head] = boxesIn(moov, inside)
  if (head?.name !== 'mvhd') throw new Error('an index begins with its header')
  const movie = numberAt(moov, head.from + (moov[head.from] === 1 ? 20 : 12))
  const firstId = numberAt(moov, head.to - 4)
  const chapters = tracks.flatMap(({ kind }, index) => (kind === 'chapters' ? u32(firstId + index) : []))
  const data = tracks.map((track) => joined(...samplesOf(track).samples.map((sample) => sample.data)))
  const index = (texts: number): Uint8Array<ArrayBuffer> => {
    const kept = [...boxesIn(moov, inside)]
      .slice(1)
      .map((each) => (each.name === 'trak' ? withMore(moov, each, chapters, roles) : moov.subarray(each.at, each.to)))
    let place = texts
    const added = tracks.map((track, number) => {
      const own = place
      place += data[number]?.length ?? 0
      return trackBox(track, firstId + number, own, movie)
    })
    const header = joined(moov.subarray(head.at, head.to - 4), u32(firstId + tracks.length))
    return box('moov', header, ...kept, ...added)
  }
  const { length } = index(0)
  return joined(index(at + length + 8), box('mdat', ...data))
}

const emptyIndex = box(
  'moov',
  box('mvhd', zeros(100)),
  box('trak', box('mdia', box('hdlr', zeros(8), letters('vide')))),
)

/** Bytes that `withTexts` adds at most. */
export const bytesOfTexts = (tracks: readonly TextTrack[], roles: ReadonlyMap<number, Roles>): number =>
  [...roles.values()].reduce(
    (sum, { length }) => sum + length + box('udta').length,
    withTexts(emptyIndex, 0, tracks, new Map()).length - emptyIndex.length,
  )
