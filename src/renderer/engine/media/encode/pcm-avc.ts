/**
 * @file H.264 without loss: each macroblock is written as it is (I_PCM; ITU-T H.264, 7.3.5). For tiny pictures, of which
 * Chromium's encoder loses too much at its best.
 */
import { escaped } from '../pixels/avc-color.ts'
import { chromaOf, type Planes } from '../pixels/planes.ts'

const profile = 66
const level = 31
const unitTypes = { key: 0x65, sps: 0x67, pps: 0x68 } as const
const intraSlice = 7
const pcmBlock = 25
/** Pixels of a macroblock's side. */
const side = 16

/** Writes bits, the highest of each byte first. */
class BitWriter {
  readonly bytes: number[] = []
  #left = 0

  bits(value: number, count: number): this {
    for (let bit = count - 1; bit >= 0; bit -= 1) {
      if (this.#left === 0) {
        this.bytes.push(0)
        this.#left = 8
      }
      this.#left -= 1
      this.bytes[this.bytes.length - 1] = (this.bytes.at(-1) ?? 0) | (((value >> bit) & 1) << this.#left)
    }
    return this
  }

  /** Exp-Golomb codes (9.1). */
  codes(...values: number[]): this {
    for (const value of values) this.bits(value + 1, 2 * (31 - Math.clz32(value + 1)) + 1)
    return this
  }

  /** Fills the byte with zeros. */
  align(): this {
    this.#left = 0
    return this
  }
}

const unitOf = (type: number, writer: BitWriter): Uint8Array<ArrayBuffer> =>
  escaped(Uint8Array.from([type, ...writer.bits(1, 1).bytes]))

const blocks = (length: number): number => Math.ceil(length / side)

/** The decoder's configuration record (ISO/IEC 14496-15, 5.3.3.1). Width and height are even. */
export function pcmRecord({ width, height }: Pick<Planes, 'width' | 'height'>): Uint8Array<ArrayBuffer> {
  const [across, down] = [blocks(width), blocks(height)]
  const sps = new BitWriter()
    .bits((profile << 16) | (0xc0 << 8) | level, 24)
    // Frame numbers of 4 bits, frames in their order, no references.
    .codes(0, 0, 2, 0)
    .bits(0, 1)
    .codes(across - 1, down - 1)
    // Frames, and what is cut off on the right and at the bottom, in pairs of pixels.
    .bits(0b111, 3)
    .codes(0, (across * side - width) / 2, 0, (down * side - height) / 2)
    .bits(0, 1)
  const pps = new BitWriter().codes(0, 0).bits(0, 2).codes(0, 0, 0).bits(0, 3).codes(0, 0, 0).bits(0b100, 3)
  const [one, other] = [unitOf(unitTypes.sps, sps), unitOf(unitTypes.pps, pps)]
  const head = [1, profile, 0xc0, level, 0xff, 0xe1, 0, one.length]
  return Uint8Array.from([...head, ...one, 1, 0, other.length, ...other])
}

/**
 * One frame, a key frame, with its length before it.
 * @param id another one than that of the frames before and after it, below 2^15
 */
export function pcmFrame(planes: Planes, id: number): Uint8Array<ArrayBuffer> {
  const { width, height, y, u, v } = planes
  const writer = new BitWriter()
  // From the first macroblock on; frame number 0; no marks of references; QP 26; not deblocked.
  writer.codes(0, intraSlice, 0).bits(0, 4).codes(id).bits(0, 2).codes(0, 1)
  for (let row = 0; row < blocks(height); row += 1)
    for (let column = 0; column < blocks(width); column += 1) {
      writer.codes(pcmBlock).align()
      pushBlock(y, width, column * side, row * side, side, writer.bytes)
      for (const plane of [u, v])
        pushBlock(plane, chromaOf(width), (column * side) / 2, (row * side) / 2, side / 2, writer.bytes)
    }
  const unit = unitOf(unitTypes.key, writer)
  const frame = new Uint8Array(unit.length + 4)
  new DataView(frame.buffer).setUint32(0, unit.length)
  frame.set(unit, 4)
  return frame
}

/** What is beyond the picture is cut off later. */
function pushBlock(plane: Uint8Array, width: number, left: number, top: number, size: number, to: number[]): void {
  for (let y = top; y < top + size; y += 1)
    for (let x = left; x < left + size; x += 1) to.push(plane[y * width + x] ?? 0)
}
