/**
 * @file Reads and writes the colour description of an H.264 sequence parameter set (ITU-T H.264, 7.3.2.1.1 and E.1.1).
 * Chromium's encoders write their own there, whatever the frames are. Also reads how long a frame lasts, and its lines.
 */
import { Bits } from './bits.ts'
import { isTagged, unspecified, type ColorTags } from './color-tags.ts'

/** Profiles whose parameter sets have a chroma format (7.3.2.1.1). */
const highProfiles = [100, 110, 122, 244, 44, 83, 86, 118, 128]
const extendedShape = 255

interface Place {
  /** Bit offsets: of the flag that there is a VUI, of the signal type's flag, and after the signal type. */
  vui: number
  signal: number
  end: number
  /** Null without a signal type. */
  tags: ColorTags | null
  /** In macroblocks. */
  size: string
  /** See `fieldLinesOfSps`. */
  fieldLines: number
}

function placeOf(bits: Bits): Place {
  bits.take(8)
  const profile = bits.take(8)
  bits.take(16)
  bits.golomb()
  if (highProfiles.includes(profile)) skipChroma(bits)
  bits.golomb()
  const orderType = bits.golomb()
  if (orderType === 0) bits.golomb()
  else if (orderType === 1) {
    bits.take(1)
    bits.golomb()
    bits.golomb()
    for (let left = bits.golomb(); left > 0; left -= 1) bits.golomb()
  }
  bits.golomb()
  bits.take(1)
  const [columns, rows] = [bits.golomb(), bits.golomb()]
  const size = `${String(columns)}x${String(rows)}`
  const hasFields = bits.take(1) === 0
  const fieldLines = hasFields ? (rows + 1) * 16 : 0
  if (hasFields) bits.take(1)
  bits.take(1)
  if (bits.take(1) === 1) for (let side = 0; side < 4; side += 1) bits.golomb()
  const vui = bits.at
  if (bits.take(1) === 0) return { vui, signal: bits.at, end: bits.at, tags: null, size, fieldLines }
  if (bits.take(1) === 1 && bits.take(8) === extendedShape) bits.take(32)
  if (bits.take(1) === 1) bits.take(1)
  const signal = bits.at
  let tags: ColorTags | null = null
  if (bits.take(1) === 1) {
    bits.take(3)
    const full = bits.take(1) === 1
    const [primaries, transfer, matrix] =
      bits.take(1) === 1
        ? [bits.take(8), bits.take(8), bits.take(8)]
        : ([unspecified, unspecified, unspecified] as const)
    tags = { primaries, transfer, matrix, full }
  }
  return { vui, signal, end: bits.at, tags, size, fieldLines }
}

function skipChroma(bits: Bits): void {
  const format = bits.golomb()
  if (format === 3) bits.take(1)
  bits.golomb()
  bits.golomb()
  bits.take(1)
  if (bits.take(1) === 0) return
  for (let list = 0; list < (format === 3 ? 12 : 8); list += 1) {
    if (bits.take(1) === 0) continue
    let next = 8
    for (let last = 8, at = 0; at < (list < 6 ? 16 : 64); at += 1) {
      if (next !== 0) next = (last + bits.signedGolomb() + 256) % 256
      if (next !== 0) last = next
    }
  }
}

/** Null if the parameter set says nothing about the signal. */
export const tagsOfSps = (sps: Uint8Array): ColorTags | null => placeOf(new Bits(unescaped(sps))).tags

/** Seconds that a frame lasts, two ticks of its clock (E.2.1); null if the parameter set doesn't say. */
export function frameSecondsOfSps(sps: Uint8Array): number | null {
  const bits = new Bits(unescaped(sps))
  const { vui, end } = placeOf(bits)
  bits.at = vui
  if (!bits.flag()) return null
  bits.at = end
  // Chroma location.
  if (bits.flag()) for (let field = 0; field < 2; field += 1) bits.golomb()
  if (!bits.flag()) return null
  const [ticks, scale] = [bits.take(32), bits.take(32)]
  return ticks > 0 && scale > 0 ? (2 * ticks) / scale : null
}

/** The size of the frames, to be compared with others. */
export const sizeOfSps = (sps: Uint8Array): string => placeOf(new Bits(unescaped(sps))).size

/** Lines of a field, those that are cut off included; 0 if frames aren't made of two fields. */
export const fieldLinesOfSps = (sps: Uint8Array): number => placeOf(new Bits(unescaped(sps))).fieldLines

/** The same parameter set with this colour description, or with none. */
export function withTags(sps: Uint8Array, tags: ColorTags): Uint8Array<ArrayBuffer> {
  const bytes = unescaped(sps)
  const { vui, signal, end } = placeOf(new Bits(bytes))
  const reader = new Bits(bytes)
  const out: number[] = []
  const copy = (until: number): void => {
    while (reader.at < until) out.push(reader.take(1))
  }
  const put = (value: number, count: number): void => {
    for (let bit = count - 1; bit >= 0; bit -= 1) out.push((value >> bit) & 1)
  }
  copy(vui)
  const hasVui = reader.take(1) === 1
  put(1, 1)
  if (hasVui) copy(signal)
  else put(0, 2)
  put(tags.full || isTagged(tags) ? 1 : 0, 1)
  if (tags.full || isTagged(tags)) {
    // 5: unspecified video format.
    put(5, 3)
    put(tags.full ? 1 : 0, 1)
    put(isTagged(tags) ? 1 : 0, 1)
    if (isTagged(tags)) for (const value of [tags.primaries, tags.transfer, tags.matrix]) put(value, 8)
  }
  reader.at = end
  // No chroma location, timing, HRD parameters, picture structure and restrictions.
  if (!hasVui) put(0, 6)
  copy(endOf(bytes))
  while (out.length % 8 !== 0) out.push(0)
  const made = new Uint8Array(out.length / 8)
  for (const [at, bit] of out.entries()) made[at >> 3] = (made[at >> 3] ?? 0) | (bit << (7 - (at & 7)))
  return escaped(made)
}

/** Offset after the last bit that is 1, which ends the data. */
function endOf(bytes: Uint8Array): number {
  const last = bytes.findLastIndex((byte) => byte !== 0)
  return last * 8 + 8 - Math.log2((bytes[last] ?? 1) & -(bytes[last] ?? 1))
}

/** Without emulation prevention bytes (7.4.1). */
function unescaped(unit: Uint8Array): Uint8Array {
  return unit.filter((byte, at) => !(byte === 3 && at >= 2 && unit[at - 1] === 0 && unit[at - 2] === 0))
}

/** With emulation prevention bytes. */
export function escaped(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const out: number[] = []
  for (const byte of bytes) {
    if (byte <= 3 && out.at(-1) === 0 && out.at(-2) === 0) out.push(3)
    out.push(byte)
  }
  return new Uint8Array(out)
}
