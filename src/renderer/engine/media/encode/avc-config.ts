/** @file Compares H.264 decoder configuration records (ISO/IEC 14496-15, 5.3.3.1), changes their colours, and converts one to NAL units. */
import { withTags } from '../pixels/avc-color.ts'
import type { ColorTags } from '../pixels/color-tags.ts'

type Bytes = AllowSharedBufferSource | undefined

export function bytesOf(source: Bytes): Uint8Array<ArrayBuffer> {
  if (source === undefined) return new Uint8Array()
  return ArrayBuffer.isView(source)
    ? new Uint8Array(new Uint8Array(source.buffer, source.byteOffset, source.byteLength))
    : new Uint8Array(new Uint8Array(source))
}

export function sameBytes(a: Bytes, b: Bytes): boolean {
  const [first, second] = [bytesOf(a), bytesOf(b)]
  return first.length === second.length && first.every((byte, index) => byte === second[index])
}

/** The record's SPS and PPS as NAL units with length prefixes of the size given in the record. */
export function parameterSets(record: Bytes): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(record)
  const prefix = ((bytes[4] ?? 3) & 3) + 1
  const out: number[] = []
  let at = 5
  for (const mask of [0x1f, 0xff]) {
    const count = (bytes[at] ?? 0) & mask
    at += 1
    for (let unit = 0; unit < count; unit += 1) {
      const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
      at += 2
      for (let place = prefix - 1; place >= 0; place -= 1) out.push((length >> (place * 8)) & 0xff)
      out.push(...bytes.subarray(at, at + length))
      at += length
    }
  }
  return new Uint8Array(out)
}

/** The record with these colours in its SPS. */
export function tagRecord(record: Bytes, tags: ColorTags): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(record)
  const count = (bytes[5] ?? 0) & 0x1f
  const out = [...bytes.subarray(0, 6)]
  let at = 6
  for (let unit = 0; unit < count; unit += 1) {
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
    const made = withTags(bytes.subarray(at + 2, at + 2 + length), tags)
    out.push(made.length >> 8, made.length & 0xff, ...made)
    at += 2 + length
  }
  return new Uint8Array([...out, ...bytes.subarray(at)])
}

/** NAL unit type of a sequence parameter set (ITU-T H.264, table 7-1). */
const sps = 7

/** True if a packet has parameter sets of its own, which replace the record's. */
export function hasParameterSets(data: Uint8Array, record: Bytes): boolean {
  const prefix = ((bytesOf(record)[4] ?? 3) & 3) + 1
  for (let at = 0; at + prefix < data.length;) {
    if (((data[at + prefix] ?? 0) & 0x1f) === sps) return true
    let length = 0
    for (const byte of data.subarray(at, at + prefix)) length = length * 256 + byte
    at += prefix + length
  }
  return false
}
