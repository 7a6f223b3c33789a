/** @file Finds what a video says about its colours: first its stream, as in ffmpeg, then its container. */
import { EncodedPacketSink, type InputVideoTrack } from 'mediabunny'
import { tagsOfSps } from './avc-color.ts'
import { Bits } from './bits.ts'
import { rgb, tagsOfSpace, unspecified, type ColorTags } from './color-tags.ts'

/** @param container what the file's index says; mediabunny knows only some of the numbers */
export async function colorTagsOf(video: InputVideoTrack, container: ColorTags | null = null): Promise<ColorTags> {
  const stream = await streamTags(video)
  if (!stream) return container ?? tagsOfSpace(await video.getColorSpace())
  const either = (field: 'primaries' | 'transfer' | 'matrix'): number =>
    stream[field] === unspecified ? (container?.[field] ?? unspecified) : stream[field]
  const { full } = stream
  return { primaries: either('primaries'), transfer: either('transfer'), matrix: either('matrix'), full }
}

/** Null if the stream says nothing. */
async function streamTags(video: InputVideoTrack): Promise<ColorTags | null> {
  const codec = await video.getCodec()
  switch (codec) {
    case 'avc': {
      const sps = await spsOf(video)
      return sps && tagsOfSps(sps)
    }
    case 'vp9':
      return headerOfVp9(await firstKey(video))?.tags ?? null
    case 'av1':
      return headerOfAv1(await firstKey(video))?.tags ?? null
    default:
      return null
  }
}

const firstKey = async (video: InputVideoTrack): Promise<Uint8Array> =>
  (await new EncodedPacketSink(video).getFirstKeyPacket())?.data ?? new Uint8Array()

/** The first parameter set of an H.264 track; null if it has none. */
export async function spsOf(video: InputVideoTrack): Promise<Uint8Array | null> {
  const { description } = (await video.getDecoderConfig()) ?? {}
  return description ? spsOfRecord(bytesOf(description)) : spsOfStream(await firstKey(video))
}

const bytesOf = (source: AllowSharedBufferSource): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source)

/** The first parameter set of a decoder configuration record (ISO/IEC 14496-15, 5.3.3.1). */
function spsOfRecord(record: Uint8Array): Uint8Array | null {
  if (((record[5] ?? 0) & 0x1f) === 0) return null
  return record.subarray(8, 8 + (((record[6] ?? 0) << 8) | (record[7] ?? 0)))
}

/** The first parameter set between start codes (ITU-T H.264, annex B). */
export function spsOfStream(data: Uint8Array): Uint8Array | null {
  const isStart = (at: number): boolean => data[at] === 0 && data[at + 1] === 0 && data[at + 2] === 1
  for (let at = 0; at + 4 < data.length; at += 1) {
    if (!isStart(at) || ((data[at + 3] ?? 0) & 0x1f) !== 7) continue
    let end = at + 4
    while (end < data.length && !isStart(end)) end += 1
    return data.subarray(at + 3, end)
  }
  return null
}

/**
 * The first parameter set of units that have their lengths before them, in four bytes (ISO/IEC 14496-15, 5.3.4.2).
 * @returns null where there is none, or where start codes part the units
 */
export function spsOfUnits(data: Uint8Array): Uint8Array | null {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  let found: Uint8Array | null = null
  for (let at = 0; at < data.length;) {
    const from = at + 4
    const length = from < data.length ? view.getUint32(at) : 0
    // A start code reads as the length 1.
    if (length < 2 || from + length > data.length) return null
    if (((data[from] ?? 0) & 0x1f) === 7) found ??= data.subarray(from, from + length)
    at = from + length
  }
  return found
}

/** Primaries, transfer and matrix of VP9's colour spaces (VP9 bitstream specification, 7.2.2), as ffmpeg reads them. */
const vp9Matrices: Readonly<Record<number, number>> = { 1: 5, 2: 1, 3: 6, 4: 7, 5: 9, 7: rgb }

/** What a key frame's header says: `size` is in pixels, to be compared with others. */
interface Header {
  tags: ColorTags
  size: string
}

/** @param frame a key frame's header (6.2) */
export function headerOfVp9(frame: Uint8Array): Header | null {
  const bits = new Bits(frame)
  bits.take(2)
  const profile = bits.take(1) + 2 * bits.take(1)
  if (profile === 3) bits.take(1)
  // A frame that shows another one, or isn't a key frame.
  if (bits.flag() || bits.flag()) return null
  bits.take(2 + 24)
  if (profile >= 2) bits.take(1)
  const space = bits.take(3)
  const matrix = vp9Matrices[space] ?? unspecified
  const tags = { primaries: unspecified, transfer: unspecified, matrix, full: matrix === rgb || bits.flag() }
  // How finely chroma is sampled, and a reserved bit.
  if (profile % 2 === 1) bits.take(matrix === rgb ? 1 : 3)
  return { tags, size: [bits.take(16), bits.take(16)].join() }
}

const sequenceHeader = 1

/** @param unit a temporal unit with a sequence header (AV1 bitstream specification, 5.3 and 5.5) */
export function headerOfAv1(unit: Uint8Array): Header | null {
  for (let at = 0; at < unit.length;) {
    const header = new Bits(unit.subarray(at))
    header.take(1)
    const type = header.take(4)
    const hasExtension = header.flag()
    const hasSize = header.flag()
    header.take(hasExtension ? 9 : 1)
    let size = hasSize ? 0 : unit.length
    for (let shift = 0; hasSize && shift < 35; shift += 7) {
      const more = header.flag()
      size += header.take(7) * 2 ** shift
      if (!more) break
    }
    at += header.at / 8
    if (type === sequenceHeader) return headerOfSequence(new Bits(unit.subarray(at, at + size)))
    at += size
  }
  return null
}

function headerOfSequence(bits: Bits): Header {
  const profile = bits.take(3)
  bits.take(1)
  const isReduced = bits.flag()
  if (isReduced) bits.take(5)
  else skipOperatingPoints(bits)
  const [widthBits, heightBits] = [bits.take(4) + 1, bits.take(4) + 1]
  const size = [bits.take(widthBits), bits.take(heightBits)].join()
  if (!isReduced && bits.flag()) bits.take(7)
  bits.take(3)
  if (!isReduced) skipTools(bits)
  bits.take(3)
  const isDeep = bits.flag()
  if (profile === 2 && isDeep) bits.take(1)
  if (profile !== 1) bits.take(1)
  const [primaries, transfer, matrix] = bits.flag()
    ? ([bits.take(8), bits.take(8), bits.take(8)] as const)
    : ([unspecified, unspecified, unspecified] as const)
  return { tags: { primaries, transfer, matrix, full: matrix === rgb || bits.flag() }, size }
}

function skipOperatingPoints(bits: Bits): void {
  /** Bits of a buffer delay; 0 without a decoder model. */
  let delay = 0
  if (bits.flag()) {
    bits.take(64)
    if (bits.flag()) bits.golomb()
    if (bits.flag()) {
      delay = bits.take(5) + 1
      bits.take(32 + 10)
    }
  }
  const hasDisplayDelay = bits.flag()
  for (let left = bits.take(5) + 1; left > 0; left -= 1) {
    bits.take(12)
    if (bits.take(5) > 7) bits.take(1)
    if (delay > 0 && bits.flag()) bits.take(2 * delay + 1)
    if (hasDisplayDelay && bits.flag()) bits.take(4)
  }
}

function skipTools(bits: Bits): void {
  bits.take(4)
  const hasOrder = bits.flag()
  if (hasOrder) bits.take(2)
  // Screen content tools: chosen for each frame, or forced or not.
  const mayForce = bits.flag() || bits.flag()
  if (mayForce && !bits.flag()) bits.take(1)
  if (hasOrder) bits.take(3)
}
