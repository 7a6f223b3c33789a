/** @file Odd face pictures, made by ffmpeg from the sample: what each is, how it is made, and what is expected of it. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} OddPicture
 * @property {string} name
 * @property {string} file name with its extension
 * @property {string[]} [args] of ffmpeg, after the sample as its input
 * @property {string[]} [inputs] of ffmpeg instead of the sample
 * @property {(path: string, sample: string) => void} [make] instead of ffmpeg, or after it
 * @property {string} [code] it must be refused with this
 * @property {Record<string, unknown>} [details] that the refusal must have
 * @property {boolean} [grey] the cut-out has no colour
 * @property {boolean} [differs] the cut-out is not that of the sample
 * @property {number} [faces] that are found, else one
 * @property {string[]} [flaws] that are told, else none
 */

const fixtures = join(import.meta.dirname, '../fixtures/pictures')
const copyOf = (/** @type {string} */ name) => (/** @type {string} */ path) => copyFileSync(join(fixtures, name), path)
const small = ['-vf', 'scale=400:-2']
const scale = (/** @type {string} */ more) => ['-vf', `scale=400:-2,${more}`]

/** @param {number} share */
const truncate = (share) => (/** @type {string} */ path) => {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * share)))
}

/** What turns and mirrors the upright picture so that each EXIF orientation shows it upright again (EXIF 2.32, 4.6.4). */
const stored = [
  'null',
  'hflip',
  'hflip,vflip',
  'vflip',
  'transpose=cclock_flip',
  'transpose=cclock',
  'transpose=clock_flip',
  'transpose=clock',
]

/** Puts an EXIF block with an orientation behind a JPEG's first two bytes. @param {number} orientation */
const orient = (orientation) => (/** @type {string} */ path) => {
  const jpeg = readFileSync(path)
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex')
  tiff.writeUInt16BE(orientation, 18)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(8 + tiff.length)
  const exif = Buffer.concat([Buffer.from([0xff, 0xe1]), length, Buffer.from('Exif\0\0'), tiff])
  writeFileSync(path, Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]))
}

/** @type {OddPicture[]} */
export const oddPictures = [
  { name: 'a progressive JPEG', file: 'plain.jpg', make: (path, sample) => copyFileSync(sample, path) },
  { name: 'a CMYK JPEG', file: 'cmyk.jpg', make: copyOf('cmyk.jpg'), differs: true },
  { name: 'a grey JPEG', file: 'grey.jpg', args: [...scale('format=gray'), '-pix_fmt', 'gray'], grey: true },
  { name: 'a JPEG without halved colour', file: '444.jpg', args: [...small, '-pix_fmt', 'yuvj444p'] },
  ...stored.map((filter, index) => ({
    name: `a JPEG with EXIF orientation ${String(index + 1)}`,
    file: `exif${String(index + 1)}.jpg`,
    args: ['-vf', `scale=400:-2,${filter}`, '-q:v', '2'],
    make: orient(index + 1),
  })),
  { name: 'a PNG', file: 'plain.png', args: [...small, '-pix_fmt', 'rgb24'] },
  { name: 'a 16-bit PNG', file: 'deep.png', args: [...small, '-pix_fmt', 'rgb48be'] },
  { name: 'a 16-bit grey PNG', file: 'deepgrey.png', args: [...small, '-pix_fmt', 'gray16be'], grey: true },
  { name: 'a PNG with a palette', file: 'palette.png', args: [...small, '-pix_fmt', 'pal8'] },
  {
    name: 'a PNG with transparent edges',
    file: 'alpha.png',
    args: scale("format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='if(lt(hypot(X-200,Y-190),180),255,0)'"),
  },
  { name: 'an animated GIF', file: 'moving.gif', args: moving('gif') },
  { name: 'an animated WebP', file: 'moving.webp', args: moving('libwebp_anim') },
  { name: 'an animated PNG', file: 'moving.apng', args: moving('apng') },
  { name: 'a WebP', file: 'plain.webp', args: [...small, '-c:v', 'libwebp'] },
  { name: 'an AVIF', file: 'plain.avif', args: avif('yuv420p') },
  { name: 'an AVIF of 10 bits', file: 'deep.avif', args: avif('yuv420p10le') },
  { name: 'a BMP', file: 'plain.bmp', args: small },
  {
    name: 'a HEIC',
    file: 'plain.heic',
    make: copyOf('mona-lisa.heic'),
    code: 'picture-unreadable',
    details: { kind: 'HEIC' },
  },
  {
    name: 'a HEIC called .jpg',
    file: 'wrong.jpg',
    make: copyOf('mona-lisa.heic'),
    code: 'picture-unreadable',
    details: { kind: 'HEIC' },
  },
  { name: 'a TIFF', file: 'plain.tiff', args: small, code: 'picture-unreadable', details: { kind: 'TIFF' } },
  { name: 'a JPEG XL', file: 'plain.jxl', args: small, code: 'picture-unreadable', details: { kind: 'JPEG XL' } },
  { name: 'a PNG called .jpg', file: 'png.jpg', args: [...small, '-f', 'image2', '-c:v', 'png'] },
  { name: 'a JPEG called .txt', file: 'jpeg.txt', make: (path, sample) => copyFileSync(sample, path) },
  {
    name: 'a video called .jpg',
    file: 'video.jpg',
    args: ['-vf', 'scale=320:-2', '-pix_fmt', 'yuv420p', '-f', 'mp4'],
    code: 'picture-unreadable',
    details: { kind: 'video' },
  },
  {
    name: 'text called .png',
    file: 'text.png',
    make: (path) => writeFileSync(path, 'no picture\n'.repeat(50)),
    code: 'picture-unreadable',
  },
  { name: 'nothing at all', file: 'empty.jpg', make: (path) => writeFileSync(path, ''), code: 'file-empty' },
  {
    name: 'a JPEG that was cut off',
    file: 'cut.jpg',
    args: [...small, '-q:v', '2'],
    make: truncate(0.5),
    code: 'picture-unreadable',
    details: { kind: 'cut-off' },
  },
  {
    name: 'a PNG that was cut off',
    file: 'cut.png',
    args: small,
    make: truncate(0.5),
    code: 'picture-unreadable',
    details: { kind: 'cut-off' },
  },
  {
    name: 'a WebP that was cut off',
    file: 'cut.webp',
    args: [...small, '-c:v', 'libwebp'],
    make: truncate(0.5),
    code: 'picture-unreadable',
    details: { kind: 'cut-off' },
  },
  { name: 'one pixel', file: 'one.png', args: ['-vf', 'scale=1:1'], code: 'no-face-in-picture' },
  { name: '90 pixels', file: 'tiny.png', args: ['-vf', 'scale=90:-2'], code: 'face-too-small' },
  { name: '40 megapixels', file: 'forty.jpg', args: ['-vf', 'scale=5000:-2'] },
  {
    name: '100 megapixels',
    file: 'hundred.jpg',
    args: ['-vf', 'scale=8020:-2', '-q:v', '8'],
    code: 'picture-too-large',
  },
  {
    name: '100 megapixels in a PNG',
    file: 'hundred.png',
    args: ['-vf', 'scale=8020:-2', '-compression_level', '1'],
    code: 'picture-too-large',
  },
  { name: 'very wide', file: 'wide.png', args: scale('pad=4000:ih:1900:0') },
  {
    name: 'two faces, the larger one on the right',
    file: 'two.png',
    args: ['-filter_complex', 'split[a][b];[a]scale=200:-2,pad=200:430[l];[b]scale=400:430[r];[l][r]hstack'],
    faces: 2,
  },
  { name: 'a mask', file: 'mask.png', args: box('140:215:140:90:0x7fb0d0'), ...covered('mouth') },
  { name: 'a hand before the mouth', file: 'hand.png', args: box('140:215:140:90:0xc09060'), ...covered('mouth') },
  { name: 'half behind a wall', file: 'wall.png', args: box('205:100:140:240:0x203010'), ...covered('most') },
  { name: 'a microphone', file: 'mic.png', args: box('165:235:38:80:black'), flaws: ['covered'], differs: true },
  {
    name: 'no face',
    file: 'noface.png',
    inputs: ['-f', 'lavfi', '-i', 'testsrc=size=400x400'],
    args: ['-frames:v', '1'],
    code: 'no-face-in-picture',
  },
]

/** @param {string} rect of drawbox */
function box(rect) {
  return ['-vf', `drawbox=${rect}:fill`]
}

/** @param {string} part */
function covered(part) {
  return { code: 'face-covered', details: { part } }
}

/** @param {string} codec */
function moving(codec) {
  const frames = codec === 'gif' ? 'split[a][b];[a]palettegen[p];[b][p]paletteuse' : 'null'
  const loop = codec === 'libwebp_anim' ? ['-loop', '0'] : codec === 'apng' ? ['-plays', '0'] : []
  const rest = codec === 'gif' ? [] : ['-c:v', codec]
  return ['-filter_complex', `loop=5:1:0,scale=400:-2,hue=h=n*40,${frames}`, '-frames:v', '6', ...rest, ...loop]
}

/** @param {string} format */
function avif(format) {
  return [...small, '-c:v', 'libaom-av1', '-still-picture', '1', '-cpu-used', '8', '-pix_fmt', format, '-f', 'avif']
}

/** @param {OddPicture} one @param {string} dir @param {string} sample @returns {string | null} the file; null when ffmpeg cannot make it */
export function makeOddPicture(one, dir, sample) {
  const path = join(dir, one.file)
  if (one.args) {
    const single = one.args.includes('-frames:v') ? [] : ['-frames:v', '1']
    const args = ['-v', 'error', '-y', ...(one.inputs ?? ['-i', sample]), ...one.args, ...single, path]
    const { status, stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8' })
    if (status !== 0) {
      process.stderr.write(`${one.name}: ${stderr}\n`)
      return null
    }
  }
  one.make?.(path, sample)
  return path
}

/**
 * What of an answer is not as expected; empty when all is.
 * @param {OddPicture} one
 * @param {{ result?: import('../../src/shared/engine/engine.ts').FaceInspection, error?: { code: string, details: Record<string, unknown> } }} answer
 * @param {string} cut the cut-out's file
 * @param {Buffer} plain pixels of the sample's cut-out
 */
export function judgePicture(one, { result, error }, cut, plain) {
  if (error) {
    const told =
      error.code === one.code && Object.entries(one.details ?? {}).every(([key, value]) => error.details[key] === value)
    return told ? '' : `refused: ${JSON.stringify(error)}`
  }
  if (one.code) return 'was not refused'
  const found = []
  if (result?.faces.length !== (one.faces ?? 1)) found.push(`${String(result?.faces.length)} faces`)
  if (result?.flaws.join() !== (one.flaws ?? []).join()) found.push(`flaws: ${String(result?.flaws.join())}`)
  const far = distance(pixelsOf(cut), plain, one.grey === true)
  if (!one.differs && far > 16) found.push(`the cut-out is another (${far.toFixed(1)})`)
  return found.join(', ')
}

/** A picture at 48 × 48, three bytes a pixel. @param {string} path */
export const pixelsOf = (path) =>
  spawnSync('ffmpeg', ['-v', 'error', '-i', path, '-vf', 'scale=48:48', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'])
    .stdout

/** Mean difference of two such, 0…255; of their light alone for `grey`. @param {Buffer} a @param {Buffer} b @param {boolean} grey */
function distance(a, b, grey) {
  const read = (/** @type {Buffer} */ from, /** @type {number} */ at) =>
    grey
      ? [0.299, 0.587, 0.114].reduce((sum, part, c) => sum + part * (from[at - (at % 3) + c] ?? 0), 0)
      : (from[at] ?? 0)
  let sum = 0
  for (let at = 0; at < b.length; at += 1) sum += Math.abs(read(a, at) - read(b, at))
  return sum / b.length
}
