/**
 * @file MP4 whose index has the first samples and whose fragments have the others, as recorders write it that are safe from
 * crashes (ISO/IEC 14496-12, 8.8). mediabunny takes only what is in the index, so it reads one of all samples.
 */
import { MienError } from '@shared/mien-error.ts'
import { box, boxesOfFile, boxIn, boxesIn, joined, numberAt, trackIdAt, u32, type Box, type Readable } from '../containers/boxes.ts' // prettier-ignore

interface Sample {
  size: number
  /** Ticks of the track until the next one, and from its place in that order to when it is shown. */
  length: number
  shift: number
  isKey: boolean
}

/** Samples that lie in the file one after the other. */
interface Chunk {
  offset: number
  samples: Sample[]
}

interface Track {
  chunks: Chunk[]
  /** Samples of fragments. */
  count: number
  /** When its last sample ends, in its ticks. */
  end: number
}

/**
 * The file, or one whose index, behind its end, has the samples of fragments, too.
 * @param file MP4 @throws MienError `video-damaged`
 */
export async function withWholeIndex(file: Readable): Promise<Readable> {
  const size = await file.size()
  let index: Box | null = null
  let moov: Uint8Array = new Uint8Array()
  const tracks = new Map<number, Track>()
  let hasFragments = false
  for await (const found of boxesOfFile(file, size)) {
    if (found.name === 'moov' && found.to <= size && !index) {
      index = found
      moov = await file.read(found.at, found.to)
      if (!boxIn(moov, { from: 8, to: moov.length }, 'mvex')) return file
      for (const [id, table] of tablesOf(moov)) tracks.set(id, trackOf(chunksOf(moov, table)))
      if (![...tracks.values()].some(({ end }) => end > 0)) return file
    }
    if (found.name === 'moof' && found.to <= size) {
      addFragment(tracks, await file.read(found.at, found.to), found.at, moov)
      hasFragments = true
    }
  }
  if (!index || !hasFragments) return file
  // All of the file from the old index on is one box that nobody reads.
  const head = joined(u32(1), letters('free'), u64(size - index.at))
  const whole = rebuilt(moov, { name: 'moov', at: 0, from: index.from - index.at, to: moov.length }, tracks)
  const from = index.at
  return {
    size: () => Promise.resolve(size + whole.length),
    read: async (start, end) => {
      const bytes = joined(
        start < size ? await file.read(start, Math.min(end, size)) : [],
        end > size ? whole.subarray(Math.max(0, start - size), end - size) : [],
      )
      for (let at = Math.max(start, from); at < Math.min(end, from + head.length); at += 1)
        bytes[at - start] = head[at - from] ?? 0
      return bytes
    },
  }
}

const letters = (text: string): Uint8Array => new TextEncoder().encode(text)
const u64 = (value: number): number[] => [...u32(Math.floor(value / 2 ** 32)), ...u32(value % 2 ** 32)]

/** Tables of samples, by their tracks' ids. */
function tablesOf(moov: Uint8Array): Map<number, Box> {
  const found = new Map<number, Box>()
  for (const track of boxesIn(moov, { from: 8, to: moov.length })) {
    const header = track.name === 'trak' ? boxIn(moov, track, 'tkhd') : null
    const table = header && boxIn(moov, track, 'mdia', 'minf', 'stbl')
    if (table) found.set(trackIdAt(moov, header.from), table)
  }
  return found
}

/** Samples of a track at most: 19 hours at 60 frames a second. Damaged files may say billions. */
const maxSamples = 1 << 22
const bounded = (count: number): number => {
  if (count > maxSamples) throw new MienError('video-damaged', { reason: 'too many samples' })
  return count
}

const lengthOf = (samples: readonly Sample[]): number => samples.reduce((sum, { length }) => sum + length, 0)
const trackOf = (chunks: Chunk[]): Track => ({
  chunks,
  count: 0,
  end: lengthOf(chunks.flatMap(({ samples }) => samples)),
})

/** What an index has of a track (8.6 and 8.7). */
function chunksOf(moov: Uint8Array, table: Box): Chunk[] {
  /** Rows of a box with numbers of four bytes. @param before bytes before their count */
  const rows = (name: string, columns: number, before = 4): number[][] => {
    const found = boxIn(moov, table, name)
    if (!found) return []
    const first = found.from + before + 4
    return Array.from({ length: bounded(numberAt(moov, first - 4)) }, (_, row) =>
      Array.from({ length: columns }, (__, column) => numberAt(moov, first + (row * columns + column) * 4)),
    )
  }
  const repeated = (pairs: number[][]): number[] => {
    bounded(pairs.reduce((sum, [count = 0]) => sum + count, 0))
    return pairs.flatMap(([count = 0, value = 0]) => Array<number>(count).fill(value))
  }
  const sizes = boxIn(moov, table, 'stsz')
  const same = sizes ? numberAt(moov, sizes.from + 4) : 0
  const count = sizes ? bounded(numberAt(moov, sizes.from + 8)) : 0
  const each = same > 0 ? Array<number>(count).fill(same) : rows('stsz', 1, 8).flat()
  const [lengths, shifts] = [repeated(rows('stts', 2)), repeated(rows('ctts', 2))]
  const keys = boxIn(moov, table, 'stss') ? new Set(rows('stss', 1).flat()) : null
  const large = boxIn(moov, table, 'co64')
  const offsets = large
    ? rows('co64', 2).map(([high = 0, low = 0]) => high * 2 ** 32 + low)
    : rows('stco', 1).map(([offset = 0]) => offset)
  const runs = rows('stsc', 3)
  // Of PCM, an index has a sample for each tick, and a fragment has one for many.
  const isPcm = same > 0 && lengths.every((length) => length === 1)
  let at = 0
  return offsets.map((offset, chunk) => {
    const [, length = 0] = runs.findLast(([first = 1]) => first <= chunk + 1) ?? []
    const samples = each.slice(at, at + length).map((size, index) => {
      const place = at + index
      return {
        size,
        ...{ length: lengths[place] ?? 0, shift: (shifts[place] ?? 0) | 0 },
        isKey: keys?.has(place + 1) ?? true,
      }
    })
    at += length
    return { offset, samples: isPcm ? [joinedOf(samples)] : samples }
  })
}

const joinedOf = (samples: readonly Sample[]): Sample => ({
  size: samples.reduce((sum, { size }) => sum + size, 0),
  length: lengthOf(samples),
  shift: 0,
  isKey: true,
})

const isNoKey = 0x10000

/** Adds a fragment's samples (8.8.7 and 8.8.8). @param at its offset in the file */
function addFragment(tracks: ReadonlyMap<number, Track>, moof: Uint8Array, at: number, moov: Uint8Array): void {
  let end = at
  for (const part of boxesIn(moof, { from: 8, to: moof.length })) {
    const header = part.name === 'traf' ? boxIn(moof, part, 'tfhd') : null
    const track = header && tracks.get(numberAt(moof, header.from + 4))
    if (!track) continue
    const flags = numberAt(moof, header.from + 1, 3)
    let place = header.from + 8
    const given = (flag: number, length: number): number | null => {
      if ((flags & flag) === 0) return null
      place += length
      return numberAt(moof, place - length, length)
    }
    const base = given(1, 8) ?? ((flags & 0x20000) !== 0 ? at : end)
    given(2, 4)
    const usual = usualOf(moov, numberAt(moof, header.from + 4)).map((value, index) => given(8 << index, 4) ?? value)
    waitUntil(track, timeOf(moof, part))
    end = base
    for (const run of boxesIn(moof, part)) {
      if (run.name !== 'trun') continue
      const chunk = runAt(moof, run, usual, { base, end })
      track.chunks.push(chunk)
      track.count = bounded(track.count + chunk.samples.length)
      track.end += lengthOf(chunk.samples)
      end = chunk.offset + chunk.samples.reduce((sum, { size }) => sum + size, 0)
    }
  }
}

/** Length, size and flags that a track's samples have in fragments unless these say otherwise (8.8.3). */
function usualOf(moov: Uint8Array, id: number): number[] {
  const all = boxIn(moov, { from: 8, to: moov.length }, 'mvex')
  for (const { name, from } of all ? boxesIn(moov, all) : [])
    if (name === 'trex' && numberAt(moov, from + 4) === id)
      return [12, 16, 20].map((offset) => numberAt(moov, from + offset))
  return [0, 0, 0]
}

/** When a fragment's samples begin (8.8.12), in ticks; null where it isn't told. */
function timeOf(moof: Uint8Array, part: Box): number | null {
  const time = boxIn(moof, part, 'tfdt')
  return time && numberAt(moof, time.from + 4, moof[time.from] === 1 ? 8 : 4)
}

/** Lets a track's last sample last until a time. */
function waitUntil(track: Track, time: number | null): void {
  const last = track.chunks.at(-1)?.samples.at(-1)
  if (!last || time === null) return
  const longer = Math.max(time - track.end, -last.length)
  last.length += longer
  track.end += longer
}

function runAt(
  moof: Uint8Array,
  { from }: Box,
  [length = 0, size = 0, usualFlags = 0]: readonly number[],
  { base, end }: { base: number; end: number },
): Chunk {
  const flags = numberAt(moof, from + 1, 3)
  let at = from + 8
  const given = (flag: number): number | null => {
    if ((flags & flag) === 0) return null
    at += 4
    return numberAt(moof, at - 4)
  }
  const offset = given(1)
  const firstFlags = given(4)
  const samples = Array.from({ length: bounded(numberAt(moof, from + 4)) }, (_, index): Sample => {
    const own = { length: given(0x100) ?? length, size: given(0x200) ?? size }
    const said = given(0x400) ?? (index === 0 ? firstFlags : null) ?? usualFlags
    return { ...own, isKey: (said & isNoKey) === 0, shift: (given(0x800) ?? 0) | 0 }
  })
  return { offset: offset === null ? end : base + (offset | 0), samples }
}

/** A box of an index with all samples in its tables, and without the promise of fragments. */
function rebuilt(moov: Uint8Array, around: Box, tracks: ReadonlyMap<number, Track>, id = 0): Uint8Array<ArrayBuffer> {
  const children = [...boxesIn(moov, around)]
  const header = children.find(({ name }) => name === 'tkhd')
  const own = header ? trackIdAt(moov, header.from) : id
  const made = children.flatMap((child) =>
    child.name === 'mvex'
      ? []
      : child.name === 'stbl'
        ? [tableOf(moov, child, tracks.get(own)?.chunks ?? [])]
        : ['trak', 'mdia', 'minf'].includes(child.name)
          ? [rebuilt(moov, child, tracks, own)]
          : [moov.subarray(child.at, child.to)],
  )
  return box(around.name, ...made)
}

/** How often each number follows itself, and the number. */
function runsOf(values: readonly number[]): number[] {
  const runs: number[] = []
  for (const value of values) {
    if (runs.length > 0 && runs.at(-1) === value) runs[runs.length - 2] = (runs.at(-2) ?? 0) + 1
    else runs.push(1, value)
  }
  return runs
}

function tableOf(moov: Uint8Array, table: Box, chunks: readonly Chunk[]): Uint8Array {
  const kinds = boxIn(moov, table, 'stsd')
  const samples = chunks.flatMap((chunk) => chunk.samples)
  const list = (name: string, rows: number[], columns: number, version = 0): Uint8Array =>
    box(name, [version, 0, 0, 0], u32(rows.length / columns), rows.flatMap(u32))
  const keys = samples.flatMap(({ isKey }, at) => (isKey ? [at + 1] : []))
  const offsets = chunks.flatMap(({ offset }) => u64(offset))
  return box(
    'stbl',
    kinds ? moov.subarray(kinds.at, kinds.to) : [],
    list('stts', runsOf(samples.map(({ length }) => length)), 2), // prettier-ignore
    // With it, mediabunny takes each sample for a packet, also of PCM.
    list('ctts', runsOf(samples.map(({ shift }) => shift)), 2, 1),
    list('stsc', chunks.flatMap((chunk, at) => [at + 1, chunk.samples.length, 1]), 3), // prettier-ignore
    box('stsz', u32(0), u32(0), u32(samples.length), samples.flatMap(({ size }) => u32(size))), // prettier-ignore
    box('co64', u32(0), u32(chunks.length), offsets),
    keys.length < samples.length ? list('stss', keys, 1) : [],
  )
}
