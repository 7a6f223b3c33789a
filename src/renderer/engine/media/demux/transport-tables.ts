/**
 * @file Languages of the streams of an MPEG transport stream (ISO/IEC 13818-1, 2.4.4 and 2.6.18), by their PIDs, and
 * whether it has subtitles (ETSI EN 300 468, table 12).
 */
import { layoutOf } from './transport-clock.ts'

/** Bytes to look at. Tables are repeated several times a second. */
export const transportHead = 256 * 1024
const languageDescriptor = 0x0a
/** Of teletext, which may have them, and of DVB's subtitles. */
const subtitleDescriptors = [0x46, 0x56, 0x59]

/** @param head the first bytes of a file. @returns codes of ISO 639-2; none if it is no transport stream */
export function transportTables(head: Uint8Array): { languages: Map<number, string>; hasSubtitles: boolean } {
  const languages = new Map<number, string>()
  let hasSubtitles = false
  const layout = layoutOf(head)
  if (!layout) return { languages, hasSubtitles }
  let tables = new Set<number>()
  for (let at = layout.lead; at + 188 <= head.length; at += layout.step) {
    const packet = head.subarray(at, at + 188)
    const pid = short(packet, 1) & 0x1fff
    const isStart = ((packet[1] ?? 0) & 0x40) !== 0
    if (!isStart || (pid !== 0 && !tables.has(pid))) continue
    const adaptation = ((packet[3] ?? 0) & 0x20) === 0 ? 0 : (packet[4] ?? 0) + 1
    const section = packet.subarray(4 + adaptation + (packet[4 + adaptation] ?? 0) + 1)
    const end = 3 + (short(section, 1) & 0xfff) - 4
    if (pid === 0) tables = new Set(programsOf(section, end))
    else
      for (const { tag, pid: stream, text } of descriptorsOf(section, end)) {
        if (tag === languageDescriptor && /^[a-z]{3}$/.test(text)) languages.set(stream, text)
        if (subtitleDescriptors.includes(tag)) hasSubtitles = true
      }
  }
  return { languages, hasSubtitles }
}

const short = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)

/** PIDs of the tables of programs. */
function programsOf(section: Uint8Array, end: number): number[] {
  const pids: number[] = []
  for (let at = 8; at + 4 <= end; at += 4) if (short(section, at) !== 0) pids.push(short(section, at + 2) & 0x1fff)
  return pids
}

/** Of a program's streams, each with its first three letters. */
function* descriptorsOf(section: Uint8Array, end: number): Generator<{ tag: number; pid: number; text: string }, void> {
  for (let at = 12 + (short(section, 10) & 0xfff); at + 5 <= Math.min(end, section.length);) {
    const pid = short(section, at + 1) & 0x1fff
    const next = at + 5 + (short(section, at + 3) & 0xfff)
    for (let place = at + 5; place + 2 <= next; place += 2 + (section[place + 1] ?? 0)) {
      const text = String.fromCharCode(...section.subarray(place + 2, place + 5)).toLowerCase()
      yield { tag: section[place] ?? 0, pid, text }
    }
    at = next
  }
}
