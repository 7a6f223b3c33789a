/** @file Pictures and animations that faces are swapped in: every kind and colour, also smaller and with a label. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { changed } from './make.mjs'

/** @typedef {import('./make.mjs').Made & { moves?: boolean, options: import('./clips.mjs').Odd['options'] }} OddTarget `moves`: the result is a video */

/** Display P3 with a gamma of 2.2 (ICC.1:2022, 7 and 10.6; SMPTE EG 432-1, adapted to D50). */
function displayP3() {
  const fixed = (/** @type {number[]} */ ...values) => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [at, value] of values.entries()) bytes.writeInt32BE(Math.round(value * 65_536), at * 4)
    return bytes
  }
  const zeros = Buffer.alloc(4)
  const xyz = (/** @type {number[]} */ ...values) => Buffer.concat([Buffer.from('XYZ '), zeros, fixed(...values)])
  const gamma = Buffer.concat([Buffer.from('curv'), zeros, Buffer.from([0, 0, 0, 1, 2, 51, 0, 0])])
  const tags = {
    rXYZ: xyz(0.51512, 0.2412, -0.00105),
    gXYZ: xyz(0.29198, 0.69225, 0.04189),
    bXYZ: xyz(0.1571, 0.06657, 0.78407),
    wtpt: xyz(0.9642, 1, 0.8249),
    ...{ rTRC: gamma, gTRC: gamma, bTRC: gamma },
  }
  const count = Object.keys(tags).length
  const table = Buffer.alloc(4 + 12 * count)
  table.writeUInt32BE(count)
  let at = 128 + table.length
  for (const [index, [name, tag]] of Object.entries(tags).entries()) {
    table.write(name, 4 + index * 12, 'latin1')
    table.writeUInt32BE(at, 8 + index * 12)
    table.writeUInt32BE(tag.length, 12 + index * 12)
    at += tag.length
  }
  const header = Buffer.alloc(128)
  header.writeUInt32BE(at)
  header.writeUInt32BE(0x04_20_00_00, 8)
  header.write('mntrRGB XYZ ', 12, 'latin1')
  header.write('acsp', 36, 'latin1')
  fixed(0.9642, 1, 0.8249).copy(header, 68)
  return Buffer.concat([header, table, ...Object.values(tags)])
}

/** Puts bytes behind the first ones of a file. @param {number} at @param {Buffer} bytes */
const insert = (at, bytes) => changed((file) => Buffer.concat([file.subarray(0, at), bytes, file.subarray(at)]))
function jpegProfile() {
  const body = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), displayP3()])
  const head = Buffer.from([0xff, 0xe2, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return insert(2, Buffer.concat([head, body]))
}
function pngProfile() {
  const body = Buffer.concat([Buffer.from('iCCPP3\0\0', 'latin1'), deflateSync(displayP3())])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length - 4)
  sum.writeUInt32BE(crc32(body))
  // Behind the signature and IHDR.
  return insert(33, Buffer.concat([length, body, sum]))
}
const cmyk = (/** @type {string} */ path) =>
  copyFileSync(join(import.meta.dirname, '../../fixtures/pictures/cmyk.jpg'), path)

const jpeg = '-q:v 2 -pix_fmt yuvj420p'

/** @type {[name: string, file: string, args: string, more?: Partial<OddTarget>][]} */
const stills = [
  ['a JPEG', 'a.jpg', jpeg],
  ['a JPEG without halved colour', '444.jpg', '-q:v 2 -pix_fmt yuvj444p'],
  ['a JPEG in Display P3', 'p3.jpg', jpeg, { after: jpegProfile() }],
  ['a grey JPEG', 'grey.jpg', '-q:v 2 -pix_fmt gray'],
  ['a CMYK JPEG', 'cmyk.jpg', jpeg, { after: cmyk }],
  ['a PNG', 'a.png', '-pix_fmt rgb24'],
  ['a PNG in Display P3', 'p3.png', '-pix_fmt rgb24', { after: pngProfile() }],
  ['a 16-bit PNG', 'deep.png', '-pix_fmt rgb48be'],
  ['a 16-bit PNG in Display P3', 'deepp3.png', '-pix_fmt rgb48be', { after: pngProfile() }],
  ['a 16-bit grey PNG', 'deepgrey.png', '-pix_fmt gray16be'],
  ['a PNG with a palette', 'palette.png', '-pix_fmt pal8'],
  ['a WebP', 'a.webp', '-c:v libwebp -quality 90'],
  ['a lossless WebP', 'lossless.webp', '-c:v libwebp -lossless 1'],
  ['an AVIF', 'a.avif', '-c:v libaom-av1 -still-picture 1 -cpu-used 8 -crf 20 -f avif'],
  ['a BMP', 'a.bmp', ''],
  ['a still GIF', 'still.gif', ''],
]
const moving = /** @type {const} */ ([
  ['a GIF', 'moving.gif', '-frames:v 6'],
  ['a moving PNG', 'moving.apng', '-frames:v 6 -plays 0'],
  ['a moving PNG of 30 frames a second', 'fast.apng', '-r 30 -frames:v 20 -plays 0'],
  // Of halved colour, ffmpeg and Chromium draw saturated edges otherwise.
  ['a moving AVIF', 'moving.avif', '-frames:v 6 -c:v libaom-av1 -cpu-used 8 -crf 12 -pix_fmt yuv444p -f avif'],
])

/** @type {Record<string, NonNullable<OddTarget['options']>>} */
const ways = { '': {}, ', made smaller': { size: '360p' }, ', with a label': { label: 'eu' } }

/** From the plain clip. @type {OddTarget[]} */
export const oddTargets = [
  ...stills.map(([name, file, args, more]) => ({
    name,
    file,
    args: `-an -vf scale=640:480 -frames:v 1 ${args}`,
    ...more,
  })),
  ...moving.map(([name, file, args]) => ({ name, file, args: `-an -vf fps=10 ${args}`, moves: true })),
].flatMap(({ name, ...one }) =>
  Object.entries(ways).map(([way, options]) => ({ ...one, name: `swapped in ${name}${way}`, options })),
)
