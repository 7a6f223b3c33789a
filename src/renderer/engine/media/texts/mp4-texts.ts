/** @file Reads the subtitles and chapters of an MP4 or QuickTime file. ISO/IEC 14496-12, 8.6 and 8.7; 3GPP TS 26.245. */
import type { Missing } from '@shared/engine/engine.ts'
import { boxesIn, boxIn, nameAt, numberAt, timesAt, trackIdAt, type Box, type Readable } from '../containers/boxes.ts'
import { rolesOfTrack } from '../containers/roles.ts'
import { chaptersOf, type Cue, type TextTrack } from './texts.ts'

const handlers = ['text', 'sbtl', 'subt', 'clcp']

interface Found {
  track: Omit<TextTrack, 'cues'>
  samples: Sample[]
}

/** Its place in the file, and its times in seconds. */
interface Sample {
  at: number
  size: number
  from: number
  to: number
}

/** What an index says of texts. */
export interface Texts {
  read: (file: Readable) => Promise<TextTrack[]>
  /** Kinds of which something can't be read. */
  missing: Missing[]
}

/**
 * @param index contents of the `moov` box
 * @param languageOf a track's language by its number in the index
 */
export function textsOfMp4(index: Uint8Array, languageOf: (code: number) => string): Texts {
  const all = { from: 0, to: index.length }
  const tracks = [...boxesIn(index, all)].filter(({ name }) => name === 'trak')
  const chapterIds = tracks.flatMap((track) => {
    const list = boxIn(index, track, 'tref', 'chap')
    return list
      ? Array.from({ length: (list.to - list.from) >> 2 }, (_, at) => numberAt(index, list.from + 4 * at))
      : []
  })
  const header = boxIn(index, all, 'mvhd')
  const clock = header ? clockAt(index, header) : 1
  const found: Found[] = []
  const missing = new Set<Missing>()
  for (const track of tracks) {
    const handler = boxIn(index, track, 'mdia', 'hdlr')
    if (!handler || !handlers.includes(nameAt(index, handler.from + 8))) continue
    const isChapters = chapterIds.includes(idOf(index, track))
    const one = foundIn(index, track, isChapters, clock, languageOf)
    if (one) found.push(one)
    else missing.add(isChapters ? 'chapters' : 'subtitles')
  }
  const list = boxIn(index, all, 'udta', 'chpl')
  const isListed = list && !found.some(({ track }) => track.kind === 'chapters')
  if (isListed) missing.delete('chapters')
  return {
    missing: [...missing],
    read: async (file) => [
      ...(await Promise.all(found.map(async (one) => ({ ...one.track, cues: await cuesOf(one, file) })))),
      ...(isListed ? chaptersOf(listedIn(index, list)) : []),
    ],
  }
}

function idOf(index: Uint8Array, track: Box): number {
  const header = boxIn(index, track, 'tkhd')
  return header ? trackIdAt(index, header.from) : 0
}

const clockAt = (index: Uint8Array, { from }: Box): number => timesAt(index, from).clock

/** Null if the track has other texts than QuickTime's or timed text, or none in this index. */
function foundIn(
  index: Uint8Array,
  track: Box,
  isChapters: boolean,
  clock: number,
  languageOf: (code: number) => string,
): Found | null {
  const media = boxIn(index, track, 'mdia', 'mdhd')
  const table = boxIn(index, track, 'mdia', 'minf', 'stbl')
  const entries = table && boxIn(index, table, 'stsd')
  const [entry] = entries ? boxesIn(index, { from: entries.from + 8, to: entries.to }) : []
  if (!media || !table || !entry || !['tx3g', 'text'].includes(entry.name)) return null
  const samples = samplesOf(index, table, clockAt(index, media), startOf(index, track, clockAt(index, media), clock))
  const name = boxIn(index, track, 'udta', 'name')
  const header = boxIn(index, track, 'tkhd')
  return samples.length === 0
    ? null
    : {
        samples,
        track: {
          kind: isChapters ? 'chapters' : 'subtitles',
          language: languageOf(numberAt(index, media.from + (index[media.from] === 1 ? 32 : 20), 2)),
          name: name ? new TextDecoder().decode(index.subarray(name.from, name.to)) : '',
          isDefault: header !== null && ((index[header.from + 3] ?? 0) & 1) === 1,
          roles: rolesOfTrack(index, track),
          entry: entry.name === 'tx3g' ? index.slice(entry.at, entry.to) : null,
        },
      }
}

/** Seconds from a track's own 0 to the movie's, by its edits: nothing at first, or not from its beginning. */
function startOf(index: Uint8Array, track: Box, clock: number, movie: number): number {
  const list = boxIn(index, track, 'edts', 'elst')
  if (!list) return 0
  const size = index[list.from] === 1 ? 8 : 4
  let empty = 0
  for (let at = list.from + 8; at + 2 * size + 4 <= list.to; at += 2 * size + 4) {
    const place = numberAt(index, at + size, size)
    if (place !== 256 ** size - 1) return empty / movie - place / clock
    empty += numberAt(index, at, size)
  }
  return empty / movie
}

/** Texts of a track that are read at most. */
const maxTexts = 100_000

function samplesOf(index: Uint8Array, table: Box, clock: number, start: number): Sample[] {
  const [times, sizes, chunks, near, far] = ['stts', 'stsz', 'stsc', 'stco', 'co64'].map((name) =>
    boxIn(index, table, name),
  )
  const places = near ?? far
  if (!times || !sizes || !chunks || !places) return []
  /** Rows of numbers of `bytes` each, behind their count. */
  const rowsOf = (box: Box, columns: number, bytes = 4): number[][] =>
    Array.from({ length: Math.floor((box.to - box.from - 8) / (columns * bytes)) }, (_, row) =>
      Array.from({ length: columns }, (__, column) =>
        numberAt(index, box.from + 8 + (row * columns + column) * bytes, bytes),
      ),
    )
  const every = numberAt(index, sizes.from + 4)
  const count = Math.min(maxTexts, numberAt(index, sizes.from + 8))
  const lengths = rowsOf(times, 2)
  const runs = rowsOf(chunks, 3)
  const samples: Sample[] = []
  let time = 0
  for (const [chunk, [place = 0]] of rowsOf(places, 1, near ? 4 : 8).entries()) {
    let at = place
    const [, inChunk = 0] = runs.findLast(([first = 0]) => first <= chunk + 1) ?? []
    for (let left = inChunk; left > 0 && samples.length < count; left -= 1) {
      const size = every > 0 ? every : numberAt(index, sizes.from + 12 + 4 * samples.length)
      const [run] = lengths
      if (!run) return samples
      const [of = 0, length = 0] = run
      if (of <= 1) lengths.shift()
      else run[0] = of - 1
      samples.push({ at, size, from: start + time / clock, to: start + (time + length) / clock })
      at += size
      time += length
    }
  }
  return samples
}

/** Seconds of a list of chapters (Nero's `chpl`) are in 100 ns. */
function listedIn(index: Uint8Array, { from, to }: Box): { from: number; title: string }[] {
  const chapters: { from: number; title: string }[] = []
  const first = from + (index[from] === 0 ? 4 : 8)
  for (let at = first + 1; at + 9 <= to && chapters.length < (index[first] ?? 0); at += 9 + (index[at + 8] ?? 0)) {
    const title = new TextDecoder().decode(index.subarray(at + 9, at + 9 + (index[at + 8] ?? 0)))
    chapters.push({ from: numberAt(index, at, 8) / 1e7, title })
  }
  return chapters
}

/** Bytes between texts that are read with them: an index's texts lie together, or far apart. */
const near = 64 * 1024

async function cuesOf({ track, samples }: Found, file: Readable): Promise<Cue[]> {
  const size = await file.size()
  const cues: Cue[] = []
  let read = { at: 0, bytes: new Uint8Array() }
  for (const sample of samples) {
    const end = sample.at + sample.size
    if (end > size) break
    if (sample.at < read.at || end > read.at + read.bytes.length) {
      const to = Math.min(size, Math.max(end, sample.at + near))
      read = { at: sample.at, bytes: await file.read(sample.at, to) }
    }
    const bytes = read.bytes.slice(sample.at - read.at, end - read.at)
    const length = numberAt(bytes, 0, 2)
    const style = track.entry ? bytes.subarray(2 + length) : new Uint8Array()
    const text = bytes.subarray(2, 2 + length)
    // Without text, nothing is shown.
    if (length > 0) cues.push({ from: sample.from, to: sample.to, style, text: track.entry ? text : inUtf8(text) })
  }
  return cues
}

/** QuickTime's texts may be in the Macintosh's own encoding. */
function inUtf8(text: Uint8Array): Uint8Array {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(text)
    return text
  } catch {
    return new TextEncoder().encode(new TextDecoder('macintosh').decode(text))
  }
}
