/** @file Reads and writes PNG files (W3C PNG, third edition), so that pixels, alpha and colour profile stay exact. */
import type { PictureMetadata, WrittenMetadata } from './metadata.ts'

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

/**
 * The colours of a PNG file with translucent pixels: Chromium premultiplies them, which can't be undone exactly.
 * @returns RGBA; null if the file is of a rare kind (palette, grey, interlaced) or cut off
 */
export async function translucentPixels(bytes: Uint8Array): Promise<Uint8ClampedArray<ArrayBuffer> | null> {
  const chunks = [...chunksOf(bytes)]
  const header = chunks[0]?.data
  if (header?.length !== 13 || header[9] !== 6 || header[12] !== 0) return null
  const view = new DataView(header.buffer, header.byteOffset)
  const [width, height, deep] = [view.getUint32(0), view.getUint32(4), header[8] === 16]
  // A copy, because a Blob takes no views of shared memory.
  const parts = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data.slice())
  const inflated = new Blob(parts).stream().pipeThrough(new DecompressionStream('deflate'))
  const raw = await new Response(inflated).arrayBuffer().catch(() => null)
  const step = deep ? 8 : 4
  const length = width * step
  if (raw?.byteLength !== (length + 1) * height) return null
  const rgba = new Uint8ClampedArray(width * height * 4)
  let above = new Uint8Array(length)
  for (let row = 0; row < height; row += 1) {
    const [filter = 0] = new Uint8Array(raw, row * (length + 1), 1)
    const line = new Uint8Array(raw, row * (length + 1) + 1, length)
    unfilterLine(filter, line, above, step)
    for (let at = 0; at < width * 4; at += 1) rgba[row * width * 4 + at] = line[deep ? at * 2 : at] ?? 0
    above = line
  }
  return rgba
}

/** Undoes a line's filter (9.2), in place. */
function unfilterLine(filter: number, line: Uint8Array, above: Uint8Array, step: number): void {
  for (let at = 0; at < line.length; at += 1) {
    const left = at < step ? 0 : (line[at - step] ?? 0)
    const up = above[at] ?? 0
    const corner = at < step ? 0 : (above[at - step] ?? 0)
    const guesses = [0, left, up, (left + up) >> 1, filter === 4 ? paeth(left, up, corner) : 0]
    line[at] = (line[at] ?? 0) + (guesses[filter] ?? 0)
  }
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}

/** Bytes filtered at once. */
const band = 8 * 1024 * 1024

/** @param rgba not premultiplied; alpha is left out unless `hasAlpha` */
export async function writePng(
  { rgba, width, height }: { rgba: Uint8ClampedArray<ArrayBuffer>; width: number; height: number },
  { color, exif, xmp, hasAlpha }: Pick<PngFacts, 'color' | 'exif' | 'hasAlpha'> & Pick<WrittenMetadata, 'xmp'>,
): Promise<Blob> {
  const header = new DataView(new ArrayBuffer(13))
  header.setUint32(0, width)
  header.setUint32(4, height)
  header.setUint8(8, 8)
  header.setUint8(9, hasAlpha ? 6 : 2)
  const parts = [signature, chunk('IHDR', new Uint8Array(header.buffer))]
  for (const { type, data } of color) parts.push(chunk(type, data))
  if (exif) parts.push(chunk('eXIf', exif))
  // A keyword, no compression, no language, no translation.
  if (xmp !== undefined) parts.push(chunk('iTXt', new TextEncoder().encode(`XML:com.adobe.xmp\0\0\0\0\0${xmp}`)))
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
    if (filter === 4) guess = paeth(left, up, at < step ? 0 : (above[at - step] ?? 0))
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
