/**
 * @file Reads fields of a protobuf file without loading it: large fields are skipped by position.
 * Encoding: https://protobuf.dev/programming-guides/encoding/
 */
import { MienError } from '../mien-error.ts'

/** Bytes read at once. */
const windowBytes = 16_384
/** Longest varint, of 64 bits. */
const maxVarintBytes = 10
/** Longest text that is read. */
const maxTextBytes = 1000
/** A large model has about ten thousand fields at the levels that are read. */
const maxFields = 200_000

export const unreadable = (
  reason: 'cut-off' | 'damaged' | 'external' | 'not-onnx' | 'opset' | 'too-complex' | 'too-large',
): MienError => new MienError('model-unreadable', { reason })

/** A field. `start` and `end`: position of a length-delimited field's content in the file; else empty. */
export interface Field {
  number: number
  wire: 0 | 1 | 2 | 5
  /** Value of a varint, signed; exact up to 2^53. */
  value: number
  start: number
  end: number
}

/** A file that is read in pieces. */
export interface Source {
  size: number
  /** The bytes from `start` up to, but not including, `end`. */
  read: (start: number, end: number) => Promise<Uint8Array>
}

export class ProtobufFile {
  private window: Uint8Array = new Uint8Array(0)
  private windowAt = 0
  private fieldsRead = 0

  constructor(private readonly source: Source) {}

  get size(): number {
    return this.source.size
  }

  /**
   * The fields between two positions. The caller reads a message's fields by calling this with the field's position.
   * @throws MienError `model-unreadable` (reason)
   */
  async *fields(start: number, end: number): AsyncGenerator<Field> {
    for (let at = start; at < end;) {
      if (++this.fieldsRead > maxFields) throw unreadable('too-complex')
      const head = await this.bytes(at, Math.min(at + 2 * maxVarintBytes, end))
      const tag = varint(head, 0)
      const number = Math.floor(tag.value / 8)
      const wire = tag.value % 8
      if (number === 0) throw unreadable('damaged')
      if (wire === 0) {
        const { value, next } = varint(head, tag.next)
        at += next
        yield { number, wire, value, start: at, end: at }
      } else if (wire === 2) {
        const length = varint(head, tag.next)
        const from = at + length.next
        at = from + length.value
        // A message may end only at the end of the file, where it may be cut off. A length of 2^63 and more is negative.
        if (at > end || at < from) throw unreadable(end === this.size ? 'cut-off' : 'damaged')
        yield { number, wire, value: 0, start: from, end: at }
      } else if (wire === 1 || wire === 5) {
        const from = at + tag.next
        at = from + (wire === 1 ? 8 : 4)
        if (at > end) throw unreadable(end === this.size ? 'cut-off' : 'damaged')
        yield { number, wire, value: 0, start: from, end: at }
      } else throw unreadable('damaged')
    }
  }

  /** Bytes between two positions, at most `windowBytes`. */
  async bytes(start: number, end: number): Promise<Uint8Array> {
    if (end - start > windowBytes) throw unreadable('too-complex')
    if (start < this.windowAt || end > this.windowAt + this.window.length) {
      this.window = await this.read(start, Math.min(start + windowBytes, this.size))
      this.windowAt = start
    }
    return this.window.subarray(start - this.windowAt, end - this.windowAt)
  }

  /** A text field's value. */
  async text({ start, end }: Field): Promise<string> {
    if (end - start > maxTextBytes) throw unreadable('too-complex')
    return new TextDecoder().decode(await this.bytes(start, end))
  }

  /** A field's content, however long. */
  content({ start, end }: Field): Promise<Uint8Array> {
    return end - start > windowBytes ? this.read(start, end) : this.bytes(start, end)
  }

  /** Bytes between two positions, of any number; not kept. */
  read(start: number, end: number): Promise<Uint8Array> {
    return this.source.read(start, end)
  }
}

/**
 * The varint at a position, as a signed number of 64 bits, and where the next field begins.
 * @throws MienError if it doesn't end within 64 bits or within the bytes
 */
export function varint(bytes: Uint8Array, at: number): { value: number; next: number } {
  let [low, high] = [0, 0]
  for (let index = 0; index < maxVarintBytes; index += 1) {
    const byte = bytes[at + index]
    if (byte === undefined) break
    const bits = byte & 127
    if (index < 4) low |= bits << (7 * index)
    else if (index === 4) [low, high] = [low | (bits << 28), bits >> 4]
    else high |= bits << (7 * index - 32)
    if (byte < 128) return { value: high * 2 ** 32 + (low >>> 0), next: at + index + 1 }
  }
  throw unreadable('damaged')
}
