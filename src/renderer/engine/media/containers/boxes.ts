/** @file Boxes of MP4 and QuickTime files: found, and made. ISO/IEC 14496-12, section 4.2. */

/** What `VersionedFile` offers. */
export interface Readable {
  size: () => Promise<number>
  read: (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>>
}

export interface Box {
  name: string
  /** Offsets of the box, its contents and its end. */
  at: number
  from: number
  to: number
}

export const nameAt = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
/** An unsigned number of `length` bytes. */
export const numberAt = (bytes: Uint8Array, at: number, length = 4): number =>
  bytes.subarray(at, at + length).reduce((sum, byte) => sum * 256 + byte, 0)

/** @param head the box's first bytes. @param rest length of a box without size, which ends with what is around it */
export function boxAt(head: Uint8Array, at: number, rest: number): Box {
  const short = numberAt(head, 0)
  const length = short === 1 ? numberAt(head, 8, 8) : short === 0 ? rest : short
  return { name: nameAt(head, 4), at, from: at + (short === 1 ? 16 : 8), to: at + Math.max(8, length) }
}

/** The boxes of a whole file of `size` bytes. */
export async function* boxesOfFile(file: Readable, size: number): AsyncGenerator<Box, void> {
  for (let at = 0; at + 8 <= size;) {
    const box = boxAt(await file.read(at, Math.min(size, at + 16)), at, size - at)
    yield box
    at = box.to
  }
}

/** The boxes between two offsets. */
export function* boxesIn(bytes: Uint8Array, { from, to }: Pick<Box, 'from' | 'to'>): Generator<Box, void> {
  for (let at = from; at + 8 <= to;) {
    const box = boxAt(bytes.subarray(at), at, to - at)
    yield { ...box, to: Math.min(box.to, to) }
    at = box.to
  }
}

/** The first box at a path of names; null without one. */
export function boxIn(bytes: Uint8Array, around: Pick<Box, 'from' | 'to'>, ...path: string[]): Box | null {
  const [name, ...rest] = path
  for (const box of boxesIn(bytes, around))
    if (box.name === name) return rest.length > 0 ? boxIn(bytes, box, ...rest) : box
  return null
}

/** The clock and the length, in its ticks, of a movie or a track: `mvhd` and `mdhd` have both at the same place. */
export function timesAt(index: Uint8Array, from: number): { clock: number; length: number } {
  const isLong = index[from] === 1
  const at = from + (isLong ? 20 : 12)
  return { clock: numberAt(index, at) || 1, length: numberAt(index, at + 4, isLong ? 8 : 4) }
}

/** @param from of the contents of a `tkhd` box */
export const trackIdAt = (index: Uint8Array, from: number): number =>
  numberAt(index, from + (index[from] === 1 ? 20 : 12))

type Bytes = ArrayLike<number>

export const u16 = (value: number): number[] => [(value >> 8) & 255, value & 255]
export const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value)]

/** @param contents one after the other */
export function box(name: string, ...contents: Bytes[]): Uint8Array<ArrayBuffer> {
  const length = contents.reduce((sum, one) => sum + one.length, 8)
  return joined(u32(length), new TextEncoder().encode(name), ...contents)
}

export function joined(...parts: Bytes[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, one) => sum + one.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
