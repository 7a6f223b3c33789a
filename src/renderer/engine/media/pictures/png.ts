/** @file Reads and writes PNG files (W3C PNG, third edition), so that pixels, alpha and colour profile stay exact. */
import type { PictureMetadata } from './metadata.ts'

export interface PngFacts extends PictureMetadata {
  /** Chunks about colour, in order. */
  color: { type: string; data: Uint8Array }[]
  hasAlpha: boolean
  grey: boolean
  animated: boolean
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const aboutColor = ['cHRM', 'gAMA', 'iCCP', 'sRGB', 'cICP', 'pHYs']

/** Chunks up to the first that is cut off. */
export function* chunksOf(bytes: Uint8Array): Generator<{ type: string; data: Uint8Array }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = signature.length; at + 12 <= bytes.length;) {
    const length = view.getUint32(at)
    if (at + 12 + length > bytes.length) return
    yield {
      type: String.fromCharCode(...bytes.subarray(at + 4, at + 8)),
      data: bytes.subarray(at + 8, at + 8 + length),
    }
    at += 12 + length
  }
}

export function readPng(bytes: Uint8Array): PngFacts {
  const facts: PngFacts = { icc: null, exif: null, color: [], hasAlpha: false, grey: false, animated: false }
  let pixels = false
  for (const { type, data } of chunksOf(bytes)) {
    pixels ||= type === 'IDAT'
    if (type === 'IHDR') {
      const colorType = data[9] ?? 0
      facts.hasAlpha = (colorType & 4) !== 0
      facts.grey = (colorType & 2) === 0
    } else if (type === 'tRNS') facts.hasAlpha = true
    else if (type === 'eXIf') facts.exif = data
    else if (type === 'acTL') facts.animated ||= !pixels
    else if (aboutColor.includes(type)) facts.color.push({ type, data })
  }
  return facts
}

/** Bytes filtered at once. */
const band = 8 * 1024 * 1024

/** @param rgba not premultiplied; alpha is left out unless `hasAlpha` */
export async function writePng(
  { rgba, width, height }: { rgba: Uint8ClampedArray<ArrayBuffer>; width: number; height: number },
  { color, exif, hasAlpha }: Pick<PngFacts, 'color' | 'exif' | 'hasAlpha'>,
): Promise<Blob> {
  const header = new DataView(new ArrayBuffer(13))
  header.setUint32(0, width)
  header.setUint32(4, height)
  header.setUint8(8, 8)
  header.setUint8(9, hasAlpha ? 6 : 2)
  const parts = [signature, chunk('IHDR', new Uint8Array(header.buffer))]
  for (const { type, data } of color) parts.push(chunk(type, data))
  if (exif) parts.push(chunk('eXIf', exif))
  const lines = linesOf(rgba, width, hasAlpha ? 4 : 3)
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      const { value, done } = lines.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  for await (const data of source.pipeThrough(new CompressionStream('deflate'))) parts.push(chunk('IDAT', data))
  return new Blob([...parts, chunk('IEND', new Uint8Array())], { type: 'image/png' })
}

/** Filtered lines, some at once. Each line has the filter whose bytes are smallest. */
function* linesOf(
  rgba: Uint8ClampedArray,
  width: number,
  channels: 3 | 4,
): Generator<Uint8Array<ArrayBuffer>, undefined> {
  const bytes = width * channels
  const height = rgba.length / (width * 4)
  const atOnce = Math.max(1, Math.floor(band / (bytes + 1)))
  let above = new Uint8Array(bytes)
  let line = new Uint8Array(bytes)
  const tries = [1, 2, 4].map((filter) => ({ filter, data: new Uint8Array(bytes) }))
  for (let top = 0; top < height; top += atOnce) {
    const rows = Math.min(atOnce, height - top)
    const out = new Uint8Array(rows * (bytes + 1))
    for (let row = 0; row < rows; row += 1) {
      const from = (top + row) * width * 4
      if (channels === 4) line.set(rgba.subarray(from, from + bytes))
      else
        for (let at = 0, pixel = from; at < bytes; at += 3, pixel += 4) {
          line[at] = rgba[pixel] ?? 0
          line[at + 1] = rgba[pixel + 1] ?? 0
          line[at + 2] = rgba[pixel + 2] ?? 0
        }
      let best = tries[0]
      let least = Infinity
      for (const one of tries) {
        const size = filterLine(one.filter, line, above, channels, one.data)
        if (size >= least) continue
        least = size
        best = one
      }
      out[row * (bytes + 1)] = best?.filter ?? 0
      out.set(best?.data ?? line, row * (bytes + 1) + 1)
      ;[above, line] = [line, above]
    }
    yield out
  }
}

/** Filters 1 (sub), 2 (up) and 4 (Paeth). @returns the sum of the absolute differences */
function filterLine(filter: number, line: Uint8Array, above: Uint8Array, step: number, out: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < line.length; at += 1) {
    const left = at < step ? 0 : (line[at - step] ?? 0)
    const up = above[at] ?? 0
    let guess = filter === 1 ? left : up
    if (filter === 4) {
      const corner = at < step ? 0 : (above[at - step] ?? 0)
      const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
      guess = a <= b && a <= c ? left : b <= c ? up : corner
    }
    const value = ((line[at] ?? 0) - guess) & 255
    out[at] = value
    sum += value < 128 ? value : 256 - value
  }
  return sum
}

function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(data.length + 12)
  const view = new DataView(whole.buffer)
  view.setUint32(0, data.length)
  for (let at = 0; at < 4; at += 1) whole[4 + at] = type.charCodeAt(at)
  whole.set(data, 8)
  view.setUint32(data.length + 8, crc32(whole.subarray(4, data.length + 8)))
  return whole
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8)
  return ~crc >>> 0
}
