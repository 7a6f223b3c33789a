/**
 * @file What the tables of an MPEG transport stream (ISO/IEC 13818-1, 2.4.4) say that mediabunny doesn't tell: languages
 * (2.6.18), whether there are subtitles (ETSI EN 300 468, table 12), and sound of kinds that mediabunny leaves out.
 */
import type { Readable } from '../containers/boxes.ts'
import { layoutOf } from './transport-clock.ts'

/** Bytes to look at. Tables are repeated several times a second. */
export const transportHead = 256 * 1024
const languageDescriptor = 0x0a
/** Of teletext, which may have them, and of DVB's subtitles. */
const subtitleDescriptors = [0x46, 0x56, 0x59]

/** Kinds of sound by their stream types (2.4.4.10; those from 0x80 on are Blu-ray's), and by their registrations. */
const lostTypes = new Map([
  [0x11, 'aac-latm'],
  [0x83, 'truehd'],
  [0x84, 'eac3-bd'],
])
const lostNames = new Map([
  ['Opus', 'opus-ts'],
  ['BSSD', 's302m'],
])
const registrationDescriptor = 0x05
/** Stream type of data of any kind. */
const privateData = 0x06

export interface TransportTables {
  /** Codes of ISO 639-2, by the streams' PIDs. */
  languages: Map<number, string>
  hasSubtitles: boolean
  lostSound: string[]
  programs: number
  /** Offsets of the types of streams that are said to be data of any kind, and are AAC. */
  aacTypes: number[]
}

const aac = 0x0f
/** The file, with the type of these streams: mediabunny then reads them. @param places of `TransportTables` */
export const withAac = (file: Readable, places: readonly number[] = []): Readable => ({
  size: () => file.size(),
  read: async (from, to) => {
    const bytes = await file.read(from, to)
    for (const place of places) if (place >= from && place < from + bytes.length) bytes[place - from] = aac
    return bytes
  },
})

/** @param head the first bytes of a file. @returns nothing if it is no transport stream */
export function transportTables(head: Uint8Array): TransportTables {
  const languages = new Map<number, string>()
  const lost = new Map<number, string>()
  let hasSubtitles = false
  const layout = layoutOf(head)
  if (!layout) return { languages, hasSubtitles, lostSound: [], programs: 0, aacTypes: [] }
  let tables = new Set<number>()
  /** Offsets of the types of streams of any kind, by their PIDs. */
  const unknown = new Map<number, number[]>()
  const isAac = new Set<number>()
  for (let at = layout.lead; at + 188 <= head.length; at += layout.step) {
    const packet = head.subarray(at, at + 188)
    const pid = short(packet, 1) & 0x1fff
    const isStart = ((packet[1] ?? 0) & 0x40) !== 0
    if (!isStart || (pid !== 0 && !tables.has(pid) && !unknown.has(pid))) continue
    const adaptation = ((packet[3] ?? 0) & 0x20) === 0 ? 0 : (packet[4] ?? 0) + 1
    if (unknown.has(pid)) {
      if (isAdts(packet.subarray(4 + adaptation))) isAac.add(pid)
      continue
    }
    const start = 4 + adaptation + (packet[4 + adaptation] ?? 0) + 1
    const section = packet.subarray(start)
    const end = 3 + (short(section, 1) & 0xfff) - 4
    if (pid === 0) tables = new Set(programsOf(section, end))
    else
      for (const { type, pid: stream, place, descriptors } of streamsOf(section, end)) {
        let kind = lostTypes.get(type)
        for (const { tag, text } of descriptors) {
          const language = text.slice(0, 3).toLowerCase()
          if (tag === languageDescriptor && /^[a-z]{3}$/.test(language)) languages.set(stream, language)
          if (subtitleDescriptors.includes(tag)) hasSubtitles = true
          if (tag === registrationDescriptor) kind ??= lostNames.get(text)
        }
        if (kind !== undefined) lost.set(stream, kind)
        else if (type === privateData) unknown.set(stream, [...(unknown.get(stream) ?? []), at + start + place])
      }
  }
  const aacTypes = [...isAac].flatMap((pid) => unknown.get(pid) ?? [])
  return { languages, hasSubtitles, lostSound: [...lost.values()], programs: tables.size, aacTypes }
}

/** Whether a packet of a stream (2.4.3.6) begins with AAC in ADTS (ISO/IEC 13818-7, 6.2). Programs for M2TS write it so. */
function isAdts(packet: Uint8Array): boolean {
  const isSound = short(packet, 0) === 0 && packet[2] === 1 && ((packet[3] ?? 0) & 0xe0) === 0xc0
  return isSound && (short(packet, 9 + (packet[8] ?? 0)) & 0xfff6) === 0xfff0
}

const short = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)

/** PIDs of the tables of programs. */
function programsOf(section: Uint8Array, end: number): number[] {
  const pids: number[] = []
  for (let at = 8; at + 4 <= end; at += 4) if (short(section, at) !== 0) pids.push(short(section, at + 2) & 0x1fff)
  return pids
}

interface Stream {
  type: number
  /** Offset of its type in the section. */
  place: number
  pid: number
  /** Each with its first four letters. */
  descriptors: { tag: number; text: string }[]
}

/** Of a program. */
function* streamsOf(section: Uint8Array, end: number): Generator<Stream, void> {
  for (let at = 12 + (short(section, 10) & 0xfff); at + 5 <= Math.min(end, section.length);) {
    const pid = short(section, at + 1) & 0x1fff
    const next = at + 5 + (short(section, at + 3) & 0xfff)
    const descriptors: Stream['descriptors'] = []
    for (let place = at + 5; place + 2 <= next; place += 2 + (section[place + 1] ?? 0)) {
      const text = String.fromCharCode(...section.subarray(place + 2, place + 6))
      descriptors.push({ tag: section[place] ?? 0, text })
    }
    yield { type: section[at] ?? 0, place: at, pid, descriptors }
    at = next
  }
}
