/** @file Encodes pixels as icon formats: PNG, ICO for Windows and ICNS for macOS. Pure. */
import { crc32, deflateSync } from 'node:zlib'

/**
 * @typedef {object} Pixels
 * @property {number} size side length in pixels
 * @property {Buffer} rgba straight alpha, rows from top to bottom
 */

/** A PNG chunk: length, type, data, checksum. @returns {Buffer} */
function chunk(/** @type {string} */ type, /** @type {Buffer} */ data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const head = Buffer.alloc(4)
  head.writeUInt32BE(data.length)
  const tail = Buffer.alloc(4)
  tail.writeUInt32BE(crc32(body))
  return Buffer.concat([head, body, tail])
}

/** An 8-bit RGBA PNG. Each row is predicted from the one above (filter 2), which suits flat drawings. */
export function png(/** @type {Pixels} */ { size, rgba }) {
  const stride = size * 4
  const rows = Buffer.alloc((stride + 1) * size)
  for (let y = 0; y < size; y += 1) {
    const at = y * (stride + 1)
    rows[at] = 2
    for (let x = 0; x < stride; x += 1) {
      const above = y === 0 ? 0 : (rgba[(y - 1) * stride + x] ?? 0)
      rows[at + 1 + x] = ((rgba[y * stride + x] ?? 0) - above) & 0xff
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 6, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A bitmap in ICO format: rows from bottom to top, BGRA, then an empty mask because alpha defines transparency. */
function bitmap(/** @type {Pixels} */ { size, rgba }) {
  const header = Buffer.alloc(40)
  header.writeUInt32LE(40, 0)
  header.writeInt32LE(size, 4)
  // Picture and mask together have twice the height.
  header.writeInt32LE(size * 2, 8)
  header.writeUInt16LE(1, 12)
  header.writeUInt16LE(32, 14)
  const pixels = Buffer.alloc(size * size * 4)
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const from = ((size - 1 - y) * size + x) * 4
      const to = (y * size + x) * 4
      pixels.set([rgba[from + 2] ?? 0, rgba[from + 1] ?? 0, rgba[from] ?? 0, rgba[from + 3] ?? 0], to)
    }
  }
  // One bit per pixel, rows padded to 32 bits.
  return Buffer.concat([header, pixels, Buffer.alloc(Math.ceil(size / 32) * 4 * size)])
}

/** An icon for Windows. Small pictures are bitmaps, which every reader supports; Windows expects PNG from 256 px. */
export function ico(/** @type {Pixels[]} */ pictures) {
  const datas = pictures.map((picture) => (picture.size >= 256 ? png(picture) : bitmap(picture)))
  const directory = Buffer.alloc(6 + 16 * pictures.length)
  directory.writeUInt16LE(1, 2)
  directory.writeUInt16LE(pictures.length, 4)
  let offset = directory.length
  for (const [index, { size }] of pictures.entries()) {
    const at = 6 + 16 * index
    const bytes = datas[index]?.length ?? 0
    // 0 means 256.
    directory.set([size & 0xff, size & 0xff], at)
    directory.writeUInt16LE(1, at + 4)
    directory.writeUInt16LE(32, at + 6)
    directory.writeUInt32LE(bytes, at + 8)
    directory.writeUInt32LE(offset, at + 12)
    offset += bytes
  }
  return Buffer.concat([directory, ...datas])
}

/** ICNS types by size in pixels; each serves this size, or half of it on a double-density screen. */
const icnsTypes = /** @type {const} */ ([
  [32, 'ic11'],
  [64, 'ic12'],
  [128, 'ic07'],
  [256, 'ic13'],
  [256, 'ic08'],
  [512, 'ic14'],
  [512, 'ic09'],
  [1024, 'ic10'],
])
export const icnsSizes = [...new Set(icnsTypes.map(([size]) => size))]

/** An icon for macOS, made of PNGs. @param {Pixels[]} pictures one for each of {@link icnsSizes} */
export function icns(pictures) {
  const entries = icnsTypes.map(([size, type]) => {
    const picture = pictures.find((each) => each.size === size)
    if (!picture) throw new Error(`an ICNS needs ${size} pixels`)
    const data = png(picture)
    return Buffer.concat([Buffer.from(type, 'latin1'), length(data.length + 8), data])
  })
  const body = Buffer.concat(entries)
  return Buffer.concat([Buffer.from('icns', 'latin1'), length(body.length + 8), body])
}

function length(/** @type {number} */ bytes) {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(bytes)
  return buffer
}
