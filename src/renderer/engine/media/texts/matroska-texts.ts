/** @file Reads the subtitles and chapters of a Matroska or WebM file. RFC 9559; subtitles: the codec ids of Matroska. */
import type { Missing } from '@shared/engine/engine.ts'
import type { Readable } from '../containers/boxes.ts'
import {
  allOf,
  elementAt,
  elementIds,
  elementOf,
  fieldOf,
  textOf,
  vintAt,
  type Element,
} from '../containers/elements.ts'
import { rolesOfEntry } from '../containers/roles.ts'
import { chaptersOf, type Cue, type TextTrack, plainEntry } from './texts.ts'
import type { Texts } from './mp4-texts.ts'

const subtitleTrack = 0x11
const withoutTags = (text: string): string => text.replaceAll(/<[^>]*>|\{\\[^}]*\}/g, '')
const escapes: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: '\u00a0', lrm: '\u200e', rlm: '\u200f' }
const ofWebVtt = (text: string): string =>
  withoutTags(text).replaceAll(/&(\w+);/g, (whole, name: string) => escapes[name] ?? whole)
/** Of an event of Advanced SubStation Alpha, whose text is its ninth field. */
const ofAss = (text: string): string =>
  withoutTags(text.split(',').slice(8).join(',')).replaceAll(/\\N/gi, '\n').replaceAll('\\h', ' ')

/** The shown text of a block, by the codec's id. */
const readers: Record<string, (text: string) => string> = {
  'S_TEXT/UTF8': withoutTags,
  'S_TEXT/ASCII': withoutTags,
  'S_TEXT/ASS': ofAss,
  'S_TEXT/SSA': ofAss,
  'S_TEXT/WEBVTT': ofWebVtt,
  // Its first two lines are an id and settings.
  'D_WEBVTT/SUBTITLES': (text) => ofWebVtt(text.split('\n').slice(2).join('\n')),
}

type Unpack = (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>

interface Reader {
  track: TextTrack
  textOf: (text: string) => string
  unpack: Unpack
}

/** @param tracks contents of the element of that name. @param segment the element around all others */
export function textsOfMatroska(tracks: Uint8Array, segment: Element): Texts {
  const subtitles = allOf(tracks, elementIds.entry).filter((entry) => fieldOf(entry, elementIds.type) === subtitleTrack)
  const readable = subtitles.filter((entry) => readers[textOf(entry, elementIds.codec)] && unpackOf(entry))
  const isStyled = readable.some((entry) => readers[textOf(entry, elementIds.codec)] === ofAss)
  const missing: Missing[] = [
    ...(readable.length < subtitles.length ? (['subtitles'] as const) : []),
    ...(isStyled ? (['styles'] as const) : []),
  ]
  return { missing, read: (file) => read(file, segment, readable) }
}

/** Null for a compression or encryption that isn't known. */
function unpackOf(entry: Uint8Array): Unpack | null {
  const packings = allOf(elementOf(entry, elementIds.encodings), elementIds.encoding)
  const [packing] = packings
  if (!packing) return (bytes) => Promise.resolve(bytes)
  const compression = elementOf(packing, elementIds.compression)
  const algorithm = fieldOf(compression, elementIds.algorithm) ?? 0
  if (packings.length > 1 || compression.length === 0 || ![0, 3].includes(algorithm)) return null
  const head = elementOf(compression, elementIds.settings)
  if (algorithm === 3) return (bytes) => new Blob([new Uint8Array(head), bytes]).bytes()
  return (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).bytes()
}

/** Read at once where texts lie between pictures. Without subtitles, clusters are skipped by their heads. */
const windowBytes = 1024 * 1024

async function read(file: Readable, segment: Element, entries: Uint8Array[]): Promise<TextTrack[]> {
  const size = await file.size()
  const ahead = entries.length > 0 ? windowBytes : 0
  let read = { at: 0, bytes: new Uint8Array() }
  const bytesAt = async (from: number, to: number): Promise<Uint8Array<ArrayBuffer>> => {
    if (from < read.at || to > read.at + read.bytes.length)
      read = { at: from, bytes: await file.read(from, Math.min(size, Math.max(to, from + ahead))) }
    return read.bytes.slice(from - read.at, to - read.at)
  }
  const readersOf = new Map<number, Reader>()
  for (const entry of entries) {
    const [textOfBlock, unpack] = [readers[textOf(entry, elementIds.codec)], unpackOf(entry)]
    const number = fieldOf(entry, elementIds.number) ?? 0
    if (textOfBlock && unpack) readersOf.set(number, { track: trackOf(entry), textOf: textOfBlock, unpack })
  }
  let chapters: TextTrack[] = []
  let scale = 1e-3
  let cluster = 0
  /** The cue of the group that is read, and its length in ticks. */
  let cue: Cue | null = null
  let length: number | null = null
  for (let at = segment.from; at + 2 < Math.min(size, segment.to);) {
    const element = elementAt(await bytesAt(at, Math.min(size, at + 16)), at)
    const { id, from, to } = element
    const contents = (): Promise<Uint8Array<ArrayBuffer>> => bytesAt(from, Math.min(size, to))
    const number = async (): Promise<number> => [...(await contents())].reduce((sum, byte) => sum * 256 + byte, 0)
    if (id === elementIds.cluster && readersOf.size > 0) {
      at = from
      continue
    }
    if (id === elementIds.group) {
      cue = length = null
      at = from
      continue
    }
    if (id === elementIds.info) scale = (fieldOf(await contents(), elementIds.scale) ?? 1e6) / 1e9
    if (id === elementIds.chapters) chapters = chaptersIn(await contents())
    if (id === elementIds.time) cluster = await number()
    if (id === elementIds.duration) length = await number()
    if ((id === elementIds.block || id === elementIds.simpleBlock) && to <= size) {
      const head = await bytesAt(from, Math.min(to, from + 12))
      const [track, lead] = vintAt(head, 0)
      const reader = readersOf.get(track)
      if (id === elementIds.simpleBlock) cue = length = null
      if (reader) {
        const ticks = cluster + new DataView(head.buffer).getInt16(lead)
        const text = await shownText(reader, (await contents()).slice(lead + 3))
        cue = { from: ticks * scale, to: Infinity, text, style: new Uint8Array() }
        if (text.length > 0) reader.track.cues.push(cue)
      }
    }
    if (cue && length !== null) cue.to = cue.from + length * scale
    at = to
  }
  const shown = [...readersOf.values()].map(({ track }) => ({ ...track, cues: withEnds(track.cues) }))
  return [...shown.filter(({ cues }) => cues.length > 0), ...chapters]
}

async function shownText({ textOf: shown, unpack }: Reader, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  // Only this text is lost if it can't be unpacked.
  const text = new TextDecoder().decode(await unpack(bytes).catch(() => new Uint8Array()))
  return new TextEncoder().encode(shown(text.replaceAll('\r\n', '\n')).trim())
}

/** By their beginnings. One without a length is shown until the next. */
function withEnds(cues: Cue[]): Cue[] {
  const sorted = cues.toSorted((a, b) => a.from - b.from)
  return sorted.map((cue, index) => ({
    ...cue,
    to: Number.isFinite(cue.to)
      ? cue.to
      : (sorted.slice(index + 1).find(({ from }) => from > cue.from)?.from ?? cue.to),
  }))
}

function trackOf(entry: Uint8Array): TextTrack {
  const language = textOf(entry, elementIds.language) || 'eng'
  return {
    kind: 'subtitles',
    language: /^[a-z]{3}$/.test(language) ? language : 'und',
    name: textOf(entry, elementIds.name),
    isDefault: (fieldOf(entry, elementIds.isDefault) ?? 1) === 1,
    roles: rolesOfEntry(entry),
    entry: plainEntry(fieldOf(entry, elementIds.isForced) === 1),
    cues: [],
  }
}

/** Of the usual edition, also those in others. @param contents of the element of that name */
function chaptersIn(contents: Uint8Array): TextTrack[] {
  const editions = allOf(contents, elementIds.edition)
  const usual = editions.find((edition) => fieldOf(edition, elementIds.editionDefault) === 1) ?? editions[0]
  const starts: { from: number; title: string }[] = []
  const walk = (around: Uint8Array): void => {
    for (const chapter of allOf(around, elementIds.chapter)) {
      if (fieldOf(chapter, elementIds.chapterHidden) === 1) continue
      const title = textOf(elementOf(chapter, elementIds.display), elementIds.title)
      starts.push({ from: (fieldOf(chapter, elementIds.chapterStart) ?? 0) / 1e9, title })
      walk(chapter)
    }
  }
  walk(usual ?? new Uint8Array())
  return chaptersOf(starts.sort((a, b) => a.from - b.from))
}
