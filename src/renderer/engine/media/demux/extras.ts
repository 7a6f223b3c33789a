/**
 * @file What a file's index says that mediabunny doesn't tell: what results don't have, whether the end is missing, and
 * colours by their numbers. Boxes: ISO/IEC 14496-12; elements: RFC 9559.
 */
import type { Missing } from '@shared/engine/engine.ts'
import { transportHead, transportLanguages } from './transport-languages.ts'
import { unspecified, type ColorTags } from '../pixels/color-tags.ts'

/** What `VersionedFile` offers. */
interface Readable {
  size: () => Promise<number>
  read: (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>>
}

export interface Extras {
  missing: Missing[]
  /** Of the tracks that say something, by their ids. */
  colors: Map<number, ColorTags>
  /** Of the tracks whose languages mediabunny doesn't read, by their ids. */
  languages?: Map<number, string>
  /** Seconds to subtract from the times of a track's packets, by the tracks' ids; mediabunny ignores it. */
  delays?: Map<number, number>
  /** Offset up to which the file can be read. */
  end: number
}

/** Bytes of an index that are searched at most. */
const maxIndex = 64 * 1024 * 1024

export async function extrasOf(file: Readable): Promise<Extras> {
  const size = await file.size()
  const head = await file.read(0, Math.min(size, 16))
  if (nameAt(head, 4) === 'ftyp') return extrasOfMp4(file, size, nameAt(head, 8) === 'qt  ')
  if (idAt(head, 0).id === ebmlIds.header) return extrasOfMatroska(file, size)
  const languages = transportLanguages(await file.read(0, Math.min(size, transportHead)))
  return { missing: [], colors: new Map(), languages, end: size }
}

interface Box {
  name: string
  /** Offsets of the box, its contents and its end. */
  at: number
  from: number
  to: number
}

const nameAt = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
const numberAt = (bytes: Uint8Array, at: number, length = 4): number =>
  bytes.subarray(at, at + length).reduce((sum, byte) => sum * 256 + byte, 0)

/** @param head the box's first bytes. @param rest length of a box without size, which ends with what is around it */
function boxAt(head: Uint8Array, at: number, rest: number): Box {
  const short = numberAt(head, 0)
  const length = short === 1 ? numberAt(head, 8, 8) : short === 0 ? rest : short
  return { name: nameAt(head, 4), at, from: at + (short === 1 ? 16 : 8), to: at + Math.max(8, length) }
}

async function extrasOfMp4(file: Readable, size: number, isQuickTime: boolean): Promise<Extras> {
  let index: Omit<Extras, 'end'> = { missing: [], colors: new Map() }
  let fragments = 0
  let fragment: Box | null = null
  for (let at = 0; at + 8 <= size;) {
    const box = boxAt(await file.read(at, Math.min(size, at + 16)), at, size - at)
    if (box.name === 'moov' && box.to <= size && box.to - box.from < maxIndex)
      index = extrasOfIndex(await file.read(box.from, box.to), isQuickTime)
    if (box.name === 'moof') {
      fragment = box
      fragments += 1
    }
    // The first fragment is all that there is.
    if (box.to > size && fragment && fragments > 1)
      return { ...index, missing: [...index.missing, 'end'], end: fragment.at }
    at = box.to
  }
  return { ...index, end: size }
}

const textHandlers = ['text', 'sbtl', 'subt', 'clcp']
/** Boxes with boxes inside, and the bytes before those. */
const containers = new Map([
  ...['trak', 'mdia', 'minf', 'stbl', 'tref', 'udta', 'edts'].map((name) => [name, 0] as const),
  ['stsd', 8],
  ...['avc1', 'avc3', 'vp08', 'vp09', 'av01', 'hev1', 'hvc1'].map((name) => [name, 78] as const),
])

/** Codes of Macintosh, by which QuickTime names languages, too (QuickTime File Format, language code values). */
const macLanguages = [
  ...['eng', 'fre', 'ger', 'ita', 'dut', 'swe', 'spa', 'dan', 'por', 'nor', 'heb', 'jpn', 'ara', 'fin', 'gre', 'ice'],
  ...['mlt', 'tur', 'hrv', 'chi', 'urd', 'hin', 'tha', 'kor', 'lit', 'pol', 'hun', 'est', 'lav', 'smi', 'fao', 'per'],
  ...['rus', 'chi'],
]

/** @param index contents of the `moov` box */
function extrasOfIndex(index: Uint8Array, isQuickTime: boolean): Omit<Extras, 'end'> {
  const colors: Extras['colors'] = new Map()
  const languages = new Map<number, string>()
  const texts: number[] = []
  const chapters: number[] = []
  const lists: number[] = []
  let track = 0
  const cut: number[] = []
  let list: Edit[] = []
  let clock = 1
  const walk = (from: number, to: number): void => {
    for (let at = from; at + 8 <= to;) {
      const box = boxAt(index.subarray(at), at, to - at)
      const before = containers.get(box.name)
      if (before !== undefined) walk(box.from + before, Math.min(box.to, to))
      if (box.name === 'tkhd') track = numberAt(index, box.from + (index[box.from] === 1 ? 20 : 12))
      if (box.name === 'hdlr' && textHandlers.includes(nameAt(index, box.from + 8))) texts.push(track)
      if (box.name === 'chap') for (let id = box.from; id < box.to; id += 4) chapters.push(numberAt(index, id))
      if (box.name === 'mvhd') clock = timesAt(index, box.from).clock
      if (box.name === 'trak') list = []
      if (box.name === 'elst') list = editsAt(index, box)
      if (box.name === 'mdhd' && isCut(list, timesAt(index, box.from), clock)) cut.push(track)
      if (box.name === 'chpl') lists.push(box.at)
      if (box.name === 'mdhd' && isQuickTime) {
        const language = macLanguages[numberAt(index, box.from + (index[box.from] === 1 ? 32 : 20), 2)]
        if (language !== undefined) languages.set(track, language)
      }
      const said = colorsOf(box, index)
      if (said) colors.set(track, said)
      at = box.to
    }
  }
  walk(0, index.length)
  const hasText = texts.some((id) => !chapters.includes(id))
  const missing: Missing[] = lists.length > 0 || chapters.length > 0 ? ['chapters'] : []
  if (hasText) missing.push('subtitles')
  if (cut.length > 0) missing.push('edits')
  return { missing, colors, languages }
}

/** What a track shows: its length in ticks of the movie's clock, its place in those of the track's. */
interface Edit {
  length: number
  media: number
}

/** The clock and the length, in its ticks, of a movie or a track: `mvhd` and `mdhd` have both at the same place. */
function timesAt(index: Uint8Array, from: number): { clock: number; length: number } {
  const isLong = index[from] === 1
  const at = from + (isLong ? 20 : 12)
  return { clock: numberAt(index, at) || 1, length: numberAt(index, at + 4, isLong ? 8 : 4) }
}

/** Of a list of edits (8.6.6), those that show something. */
function editsAt(index: Uint8Array, { from, to }: Box): Edit[] {
  const size = index[from] === 1 ? 8 : 4
  const nothing = 256 ** size - 1
  const edits: Edit[] = []
  for (let at = from + 8; at + 2 * size + 4 <= to; at += 2 * size + 4) {
    const media = numberAt(index, at + size, size)
    if (media !== nothing) edits.push({ length: numberAt(index, at, size), media })
  }
  return edits
}

/** Seconds by which a track may end before its packets do: those of sound fill the last one. */
const filling = 0.1

/** Whether something between a track's first edit and the end of its packets isn't shown. A length of 0 goes to the end. */
function isCut(edits: readonly Edit[], track: { clock: number; length: number }, clock: number): boolean {
  const [first] = edits
  if (!first || edits.length > 1) return edits.length > 1
  const end = first.media / track.clock + first.length / clock
  return first.length > 0 && end + filling < track.length / track.clock
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

const ebmlIds = {
  header: 0x1a45dfa3,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  tracks: 0x1654ae6b,
  chapters: 0x1043a770,
  cluster: 0x1f43b675,
  entry: 0xae,
  type: 0x83,
  number: 0xd7,
  delay: 0x56aa,
  video: 0xe0,
  colour: 0x55b0,
  matrix: 0x55b1,
  range: 0x55b9,
  transfer: 0x55ba,
  primaries: 0x55bb,
}
const fullRange = 2
const subtitleTrack = 0x11

/** An element's id and size in bytes, Infinity if it is unknown, and the length of both. */
function idAt(bytes: Uint8Array, at: number): { id: number; size: number; length: number } {
  const idLength = Math.clz32(bytes[at] ?? 0) - 23
  const place = at + idLength
  const length = Math.clz32(bytes[place] ?? 0) - 23
  const first = (bytes[place] ?? 0) & (0xff >> length)
  const size = first * 256 ** (length - 1) + numberAt(bytes, place + 1, length - 1)
  // All bits are 1.
  const isUnknown = first === 0xff >> length && bytes.subarray(place + 1, place + length).every((byte) => byte === 0xff)
  return { id: numberAt(bytes, at, idLength), size: isUnknown ? Infinity : size, length: idLength + length }
}

async function extrasOfMatroska(file: Readable, size: number): Promise<Extras> {
  const missing = new Set<Missing>()
  const colors: Extras['colors'] = new Map()
  const delays = new Map<number, number>()
  const elementAt = async (at: number) => {
    const element = idAt(await file.read(at, Math.min(size, at + 16)), 0)
    return { ...element, from: at + element.length, to: at + element.length + element.size }
  }
  const header = await elementAt(0)
  const segment = await elementAt(header.to)
  for (let at = segment.from; at + 2 < size;) {
    const { id, from, to } = await elementAt(at)
    if (id === ebmlIds.cluster) break
    const isIndex = id === ebmlIds.tracks || id === ebmlIds.seekHead
    const contents = isIndex && to <= size && to - from < maxIndex ? await file.read(from, to) : new Uint8Array()
    if (id === ebmlIds.chapters || (id === ebmlIds.seekHead && hasBytes(contents, ebmlIds.chapters)))
      missing.add('chapters')
    if (id === ebmlIds.tracks) {
      for (const [entry, track] of elementsOf(contents)) {
        if (entry !== ebmlIds.entry) continue
        if (fieldOf(track, ebmlIds.type) === subtitleTrack) missing.add('subtitles')
        const number = fieldOf(track, ebmlIds.number) ?? 0
        // In nanoseconds.
        delays.set(number, (fieldOf(track, ebmlIds.delay) ?? 0) / 1e9)
        const said = elementOf(elementOf(track, ebmlIds.video), ebmlIds.colour)
        if (said.length > 0) colors.set(number, colorsOfElement(said))
      }
    }
    at = to
  }
  if (Number.isFinite(segment.to) && segment.to > size) missing.add('end')
  return { missing: [...missing], colors, delays, end: size }
}

const colorsOfElement = (colour: Uint8Array): ColorTags => ({
  primaries: fieldOf(colour, ebmlIds.primaries) ?? unspecified,
  transfer: fieldOf(colour, ebmlIds.transfer) ?? unspecified,
  matrix: fieldOf(colour, ebmlIds.matrix) ?? unspecified,
  full: fieldOf(colour, ebmlIds.range) === fullRange,
})

const hasBytes = (bytes: Uint8Array, id: number): boolean => bytes.some((_, at) => numberAt(bytes, at) === id)

function* elementsOf(bytes: Uint8Array): Generator<[id: number, contents: Uint8Array]> {
  for (let at = 0; at < bytes.length;) {
    const { id, size, length } = idAt(bytes, at)
    const to = at + length + size
    yield [id, bytes.subarray(at + length, to)]
    at = to
  }
}

/** Contents of the first element with an id; empty without one. */
function elementOf(bytes: Uint8Array, wanted: number): Uint8Array {
  for (const [id, contents] of elementsOf(bytes)) if (id === wanted) return contents
  return new Uint8Array()
}

function fieldOf(bytes: Uint8Array, id: number): number | null {
  const contents = elementOf(bytes, id)
  return contents.length > 0 ? numberAt(contents, 0, contents.length) : null
}
