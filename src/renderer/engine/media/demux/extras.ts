/**
 * @file What a file's index says that mediabunny doesn't tell: texts, what results don't have, whether the end is
 * missing, and colours by their numbers. Boxes: ISO/IEC 14496-12; elements: RFC 9559.
 */
import type { Missing } from '@shared/engine/engine.ts'
import { MienError } from '@shared/mien-error.ts'
import { unspecified, type ColorTags } from '../pixels/color-tags.ts'
import { textsOfMatroska } from '../texts/matroska-texts.ts'
import { textsOfMp4 } from '../texts/mp4-texts.ts'
import { noTexts, type TextTrack } from '../texts/texts.ts'
import {
  boxesOfFile,
  boxesIn,
  nameAt,
  numberAt,
  timesAt,
  trackIdAt,
  type Box,
  type Readable,
} from '../containers/boxes.ts'
import { codecCodeOf } from '../containers/codec-codes.ts'
import { elementAt, elementIds, elementOf, elementsIn, fieldOf, textOf } from '../containers/elements.ts'
import { rolesOfEntry, rolesOfTrack, type Roles } from '../containers/roles.ts'
import { transportHead, transportTables } from './transport-tables.ts'

export interface Extras {
  missing: Missing[]
  /** Of the tracks that say something, by their ids. */
  colors: Map<number, ColorTags>
  /** Of the tracks whose languages mediabunny doesn't read, by their ids. */
  languages?: Map<number, string>
  /** Seconds to subtract from the times of a track's packets, by the tracks' ids; mediabunny ignores it. */
  delays?: Map<number, number>
  /** When tracks with one edit end, in seconds, by their ids. */
  ends?: Map<number, number>
  /** What tracks are for, by their ids. */
  roles?: Map<number, Roles>
  /** Of the tracks whose codecs mediabunny doesn't name, by their ids. */
  codecs?: Map<number, string>
  /** Kinds of sound for which mediabunny has no tracks. */
  lostSound?: string[]
  /** Whether an MP4 has samples in fragments. */
  hasFragments?: boolean
  /** For `withAac`. */
  aacTypes?: number[]
  /** Of a Matroska file, where it has its own place beside the tags; mediabunny reads the tags. */
  title?: string
  /** Offset up to which the file can be read. */
  end: number
  /** Reads its subtitles and chapters. */
  texts: () => Promise<TextTrack[]>
}

export const noExtras = (end: number): Extras => ({ missing: [], colors: new Map(), end, texts: noTexts })

/** Name of recordings of a whole channel, of which mediabunny reads none. */
const severalPrograms = 'MPEG-TS with several programs'

/** Bytes of an index that are searched at most. */
const maxIndex = 64 * 1024 * 1024

/** @throws MienError `codec-unsupported` for several programs, and for tracks of several sizes */
export async function extrasOf(file: Readable): Promise<Extras> {
  const size = await file.size()
  const head = await file.read(0, Math.min(size, 16))
  if (nameAt(head, 4) === 'ftyp') return extrasOfMp4(file, size, nameAt(head, 8) === 'qt  ')
  if (elementAt(head, 0).id === elementIds.header) return extrasOfMatroska(file, size)
  const { hasSubtitles, programs, ...told } = transportTables(await file.read(0, Math.min(size, transportHead)))
  if (programs > 1) throw new MienError('codec-unsupported', { reason: 'container', container: severalPrograms })
  return { missing: hasSubtitles ? ['subtitles'] : [], colors: new Map(), ...told, end: size, texts: noTexts }
}

async function extrasOfMp4(file: Readable, size: number, isQuickTime: boolean): Promise<Extras> {
  let index: Omit<Extras, 'end'> = { missing: [], colors: new Map(), texts: noTexts }
  let fragments = 0
  let fragment: Box | null = null
  for await (const box of boxesOfFile(file, size)) {
    if (box.name === 'moov' && box.to <= size && box.to - box.from < maxIndex)
      index = extrasOfIndex(await file.read(box.from, box.to), isQuickTime, file)
    if (box.name === 'moof') {
      fragment = box
      fragments += 1
    }
    // The first fragment is all that there is.
    if (box.to > size && fragment && fragments > 1)
      return { ...index, missing: [...index.missing, 'end'], hasFragments: true, end: fragment.at }
  }
  return { ...index, hasFragments: fragments > 0, end: size }
}

/** Bytes before the boxes in a picture's sample description. */
const sampleEntry = 78

/** Boxes with boxes inside, and the bytes before those. */
const containers = new Map([
  ...['trak', 'mdia', 'minf', 'stbl', 'edts'].map((name) => [name, 0] as const),
  ['stsd', 8],
  ...['avc1', 'avc3', 'vp08', 'vp09', 'av01', 'hev1', 'hvc1'].map((name) => [name, sampleEntry] as const),
])

/** Codes of Macintosh, by which QuickTime names languages, too (QuickTime File Format, language code values). */
const macLanguages = [
  ...['eng', 'fre', 'ger', 'ita', 'dut', 'swe', 'spa', 'dan', 'por', 'nor', 'heb', 'jpn', 'ara', 'fin', 'gre', 'ice'],
  ...['mlt', 'tur', 'hrv', 'chi', 'urd', 'hin', 'tha', 'kor', 'lit', 'pol', 'hun', 'est', 'lav', 'smi', 'fao', 'per'],
  ...['rus', 'chi'],
]

const languageOf = (code: number): string =>
  code < 0x400
    ? (macLanguages[code] ?? 'und')
    : String.fromCharCode(...[10, 5, 0].map((shift) => 0x60 + ((code >> shift) & 31)))

/** @param index contents of the `moov` box. @param file for its texts */
function extrasOfIndex(index: Uint8Array, isQuickTime: boolean, file: Readable): Omit<Extras, 'end'> {
  const colors: Extras['colors'] = new Map()
  const languages = new Map<number, string>()
  const roles = new Map<number, Roles>()
  let track = 0
  const found = new Set<Missing>()
  const ends = new Map<number, number>()
  let list: Edit[] = []
  let clock = 1
  const walk = (around: Pick<Box, 'from' | 'to'>): void => {
    for (const box of boxesIn(index, around)) {
      const before = containers.get(box.name)
      if (before !== undefined) walk({ from: box.from + before, to: box.to })
      if (box.name === 'tkhd') track = trackIdAt(index, box.from)
      if (box.name === 'mvhd') clock = timesAt(index, box.from).clock
      if (box.name === 'trak') list = []
      if (box.name === 'elst') {
        const { lead, edits } = editsAt(index, box)
        list = edits
        if (edits.length === 1 && edits[0] && edits[0].length > 0) ends.set(track, (lead + edits[0].length) / clock)
      }
      if (box.name === 'mdhd') for (const one of missingOf(list, timesAt(index, box.from), clock)) found.add(one)
      if (box.name === 'hdlr' && nameAt(index, box.from + 8) === 'tmcd') found.add('timecode')
      if (box.name === 'mdhd' && isQuickTime) {
        const language = macLanguages[numberAt(index, box.from + (index[box.from] === 1 ? 32 : 20), 2)]
        if (language !== undefined) languages.set(track, language)
      }
      if (box.name === 'stsd') refuseSizes(index, box)
      if (box.name === 'trak') roles.set(track, rolesOfTrack(index, box))
      const said = colorsOf(box, index)
      if (said) colors.set(track, said)
    }
  }
  walk({ from: 0, to: index.length })
  const texts = textsOfMp4(index, languageOf)
  const missing: Missing[] = [...texts.missing, ...found]
  return { missing, colors, languages, ends, roles, texts: () => texts.read(file) }
}

/** Of a picture's sample descriptions (8.5.2 and 12.1.3), which have their sizes at the same place. */
function refuseSizes(index: Uint8Array, { from, to }: Box): void {
  const pictures = [...boxesIn(index, { from: from + 8, to })].filter(
    ({ name }) => containers.get(name) === sampleEntry,
  )
  if (new Set(pictures.map((entry) => numberAt(index, entry.from + 24))).size > 1)
    throw new MienError('codec-unsupported', { reason: 'size-changes' })
}

/**
 * What a track shows: its length in ticks of the movie's clock, its place in those of the track's, null for nothing, and
 * whether it is shown at its usual speed.
 */
interface Edit {
  length: number
  media: number | null
  isUsual: boolean
}

const usualSpeed = 0x10000

/** Of a list of edits (8.6.6), from the first that shows something. `lead` is the length of nothing before it. */
function editsAt(index: Uint8Array, { from, to }: Box): { lead: number; edits: Edit[] } {
  const size = index[from] === 1 ? 8 : 4
  const nothing = 256 ** size - 1
  const edits: Edit[] = []
  let lead = 0
  for (let at = from + 8; at + 2 * size + 4 <= to; at += 2 * size + 4) {
    const length = numberAt(index, at, size)
    const media = numberAt(index, at + size, size)
    const isUsual = numberAt(index, at + 2 * size) === usualSpeed
    if (media === nothing && edits.length === 0) lead += length
    else edits.push({ length, media: media === nothing ? null : media, isUsual })
  }
  return { lead, edits }
}

/** Seconds by which a track may end before its packets do: those of sound fill the last one. */
const filling = 0.1

/**
 * What results don't have of a track's edits: `edits` if something between the first one and the end of the packets isn't
 * shown, `order` if something is shown again, earlier, later or at another speed. A length of 0 goes to the end.
 */
function missingOf(edits: readonly Edit[], track: { clock: number; length: number }, clock: number): Missing[] {
  // Lengths are rounded to ticks of the movie.
  const same = 1 / clock + 1 / track.clock
  const all = track.length / track.clock
  let end = edits[0] ? (edits[0].media ?? 0) / track.clock : all
  let isCut = false
  for (const { length, media, isUsual } of edits) {
    const from = (media ?? 0) / track.clock
    if (media === null || !isUsual || from < end - same) return ['order']
    isCut ||= from > end + same
    end = length > 0 ? from + length / clock : all
  }
  return isCut || end + filling < all ? ['edits'] : []
}

/** Of a box for colours, or of VP9's configuration; null for others. */
function colorsOf({ name, from }: Box, index: Uint8Array): ColorTags | null {
  const tags = (at: number, length: 1 | 2): Omit<ColorTags, 'full'> => ({
    primaries: numberAt(index, at, length),
    transfer: numberAt(index, at + length, length),
    matrix: numberAt(index, at + 2 * length, length),
  })
  const type = nameAt(index, from)
  if (name === 'vpcC') return { ...tags(from + 7, 1), full: ((index[from + 6] ?? 0) & 1) === 1 }
  if (name !== 'colr' || (type !== 'nclx' && type !== 'nclc')) return null
  return { ...tags(from + 4, 2), full: type === 'nclx' && (index[from + 10] ?? 0) > 127 }
}

const fullRange = 2

async function extrasOfMatroska(file: Readable, size: number): Promise<Extras> {
  const missing: Missing[] = []
  const colors: Extras['colors'] = new Map()
  const delays = new Map<number, number>()
  const codecs = new Map<number, string>()
  const roles = new Map<number, Roles>()
  let title = ''
  const read = async (at: number) => elementAt(await file.read(at, Math.min(size, at + 16)), at)
  const segment = await read((await read(0)).to)
  let texts = noTexts
  for (let at = segment.from; at + 2 < size;) {
    const { id, from, to } = await read(at)
    if (id === elementIds.cluster) break
    if (id === elementIds.info && to <= size && to - from < maxIndex)
      title = textOf(await file.read(from, to), elementIds.segmentTitle).replaceAll('\0', '')
    if (id === elementIds.tracks && to <= size && to - from < maxIndex) {
      const contents = await file.read(from, to)
      for (const [entry, track] of elementsIn(contents)) {
        if (entry !== elementIds.entry) continue
        const number = fieldOf(track, elementIds.number) ?? 0
        // In nanoseconds.
        delays.set(number, (fieldOf(track, elementIds.delay) ?? 0) / 1e9)
        roles.set(number, rolesOfEntry(track))
        const code = codecCodeOf(track)
        if (code !== null) codecs.set(number, code)
        if (fieldOf(track, elementIds.isOriginal) === 1 && !missing.includes('original')) missing.push('original')
        const said = elementOf(elementOf(track, elementIds.video), elementIds.colour)
        if (said.length > 0) colors.set(number, colorsOfElement(said))
      }
      const found = textsOfMatroska(contents, segment)
      for (const one of found.missing) if (!missing.includes(one)) missing.push(one)
      texts = () => found.read(file)
    }
    at = to
  }
  if (Number.isFinite(segment.to) && segment.to > size) missing.push('end')
  return { missing, colors, delays, codecs, roles, title, end: size, texts }
}

const colorsOfElement = (colour: Uint8Array): ColorTags => ({
  primaries: fieldOf(colour, elementIds.primaries) ?? unspecified,
  transfer: fieldOf(colour, elementIds.transfer) ?? unspecified,
  matrix: fieldOf(colour, elementIds.matrix) ?? unspecified,
  full: fieldOf(colour, elementIds.range) === fullRange,
})
