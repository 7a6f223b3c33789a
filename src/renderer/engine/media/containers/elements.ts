/** @file Elements of Matroska and WebM files. RFC 8794, section 4 to 6; ids: RFC 9559. */
import { numberAt } from './boxes.ts'

export const elementIds = {
  header: 0x1a45dfa3,
  segment: 0x18538067,
  info: 0x1549a966,
  segmentTitle: 0x7ba9,
  scale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  cluster: 0x1f43b675,
  time: 0xe7,
  simpleBlock: 0xa3,
  group: 0xa0,
  block: 0xa1,
  duration: 0x9b,
  entry: 0xae,
  type: 0x83,
  number: 0xd7,
  codec: 0x86,
  codecData: 0x63a2,
  delay: 0x56aa,
  name: 0x536e,
  language: 0x22b59c,
  isDefault: 0x88,
  isForced: 0x55aa,
  isForHearing: 0x55ab,
  isForSeeing: 0x55ac,
  isDescription: 0x55ad,
  isOriginal: 0x55ae,
  isCommentary: 0x55af,
  encodings: 0x6d80,
  encoding: 0x6240,
  compression: 0x5034,
  algorithm: 0x4254,
  settings: 0x4255,
  video: 0xe0,
  colour: 0x55b0,
  matrix: 0x55b1,
  range: 0x55b9,
  transfer: 0x55ba,
  primaries: 0x55bb,
  chapters: 0x1043a770,
  edition: 0x45b9,
  editionDefault: 0x45db,
  chapter: 0xb6,
  chapterStart: 0x91,
  chapterHidden: 0x98,
  display: 0x80,
  title: 0x85,
}

export interface Element {
  id: number
  /** Offsets of its contents and its end, Infinity if that is unknown. */
  from: number
  to: number
}

/** @param bytes from the element's first on. @param at its offset */
export function elementAt(bytes: Uint8Array, at: number): Element {
  const idLength = Math.clz32(bytes[0] ?? 0) - 23
  const [size, sizeLength] = vintAt(bytes, idLength)
  const from = at + idLength + sizeLength
  return { id: numberAt(bytes, 0, idLength), from, to: from + size }
}

/** A number of variable length, and its bytes. Infinity if all its bits are 1. */
export function vintAt(bytes: Uint8Array, at: number): [value: number, length: number] {
  const length = Math.clz32(bytes[at] ?? 0) - 23
  const mask = 0xff >> length
  const first = (bytes[at] ?? 0) & mask
  const isUnknown = first === mask && bytes.subarray(at + 1, at + length).every((byte) => byte === 0xff)
  return [isUnknown ? Infinity : first * 256 ** (length - 1) + numberAt(bytes, at + 1, length - 1), length]
}

/** Those in the contents of another. */
export function* elementsIn(bytes: Uint8Array): Generator<[id: number, contents: Uint8Array], void> {
  for (let at = 0; at < bytes.length;) {
    const { id, from, to } = elementAt(bytes.subarray(at), at)
    yield [id, bytes.subarray(from, to)]
    at = to
  }
}

/** Contents of all elements with an id. */
export const allOf = (bytes: Uint8Array, wanted: number): Uint8Array[] =>
  [...elementsIn(bytes)].filter(([id]) => id === wanted).map(([, contents]) => contents)

/** Contents of the first element with an id; empty without one. */
export const elementOf = (bytes: Uint8Array, wanted: number): Uint8Array => allOf(bytes, wanted)[0] ?? new Uint8Array()

/** The number in the first element with an id; null without one. */
export function fieldOf(bytes: Uint8Array, id: number): number | null {
  const contents = elementOf(bytes, id)
  return contents.length > 0 ? numberAt(contents, 0, contents.length) : null
}

export const textOf = (bytes: Uint8Array, id: number): string => new TextDecoder().decode(elementOf(bytes, id))
