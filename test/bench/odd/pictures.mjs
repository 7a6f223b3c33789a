/** @file Odd face pictures, made by ffmpeg from the sample: what each is, how it is made, and what is expected of it. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { changed, cutOff } from './make.mjs'

/**
 * @typedef {import('./make.mjs').Made & Expected} OddPicture from the sample
 * @typedef {object} Expected
 * @property {string} [code] it must be refused with this
 * @property {Record<string, unknown>} [details] that the refusal must have
 * @property {boolean} [grey] the cut-out has no colour
 * @property {boolean} [differs] the cut-out is not that of the sample
 * @property {number} [faces] that are found, else one
 * @property {string[]} [flaws] that are told, else none
 */

const fixtures = join(import.meta.dirname, '../../fixtures/pictures')
const copyOf = (/** @type {string} */ name) => (/** @type {string} */ path) => copyFileSync(join(fixtures, name), path)
const asItIs = (/** @type {string} */ path, /** @type {string} */ source) => copyFileSync(source, path)
/** As ffmpeg makes them, one picture. */
const still = '-frames:v 1'
const small = `${still} -vf scale=400:-2`
const avif = `${small} -c:v libaom-av1 -still-picture 1 -cpu-used 8 -f avif`
const animated = '-frames:v 6 -filter_complex loop=5:1:0,scale=400:-2,hue=h=n*40'
const box = `${still} -vf drawbox=`
const unreadable = (/** @type {string} */ kind) => ({ code: 'picture-unreadable', details: { kind } })
const isCutOff = { after: cutOff(0.5), ...unreadable('cut-off') }
const covered = (/** @type {string} */ part) => ({ code: 'face-covered', details: { part } })

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
const orient = (orientation) =>
  changed((jpeg) => {
    const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex')
    tiff.writeUInt16BE(orientation, 18)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(8 + tiff.length)
    const exif = Buffer.concat([Buffer.from([0xff, 0xe1]), length, Buffer.from('Exif\0\0'), tiff])
    return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)])
  })

/** @param {string} name @param {string} file @param {string | undefined} args @param {Partial<OddPicture>} [more] @returns {OddPicture} */
const odd = (name, file, args, more = {}) => ({ name, file, ...(args !== undefined && { args }), ...more })

/** @type {OddPicture[]} */
export const oddPictures = [
  odd('a progressive JPEG', 'plain.jpg', undefined, { after: asItIs }),
  odd('a CMYK JPEG', 'cmyk.jpg', undefined, { after: copyOf('cmyk.jpg'), differs: true }),
  odd('a grey JPEG', 'grey.jpg', `${small},format=gray -pix_fmt gray`, { grey: true }),
  odd('a JPEG without halved colour', '444.jpg', `${small} -pix_fmt yuvj444p`),
  ...stored.map((filter, index) =>
    odd(
      `a JPEG with EXIF orientation ${String(index + 1)}`,
      `exif${String(index + 1)}.jpg`,
      `${small},${filter} -q:v 2`,
      { after: orient(index + 1) },
    ),
  ),
  odd('a PNG', 'plain.png', `${small} -pix_fmt rgb24`),
  odd('a 16-bit PNG', 'deep.png', `${small} -pix_fmt rgb48be`),
  odd('a 16-bit grey PNG', 'deepgrey.png', `${small} -pix_fmt gray16be`, { grey: true }),
  odd('a PNG with a palette', 'palette.png', `${small} -pix_fmt pal8`),
  odd(
    'a PNG with transparent edges',
    'alpha.png',
    `${small},format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='if(lt(hypot(X-200,Y-190),180),255,0)'`,
  ),
  odd('an animated GIF', 'moving.gif', `${animated},split[a][b];[a]palettegen[p];[b][p]paletteuse`),
  odd('an animated WebP', 'moving.webp', `${animated} -c:v libwebp_anim -loop 0`),
  odd('an animated PNG', 'moving.apng', `${animated} -c:v apng -plays 0`),
  odd('a WebP', 'plain.webp', `${small} -c:v libwebp`),
  odd('an AVIF', 'plain.avif', `${avif} -pix_fmt yuv420p`),
  odd('an AVIF of 10 bits', 'deep.avif', `${avif} -pix_fmt yuv420p10le`),
  odd('a BMP', 'plain.bmp', small),
  odd('a HEIC', 'plain.heic', undefined, { after: copyOf('mona-lisa.heic'), ...unreadable('HEIC') }),
  odd('a HEIC called .jpg', 'wrong.jpg', undefined, { after: copyOf('mona-lisa.heic'), ...unreadable('HEIC') }),
  odd('a TIFF', 'plain.tiff', small, unreadable('TIFF')),
  odd('a JPEG XL', 'plain.jxl', small, unreadable('JPEG XL')),
  odd('a PNG called .jpg', 'png.jpg', `${small} -f image2 -c:v png`),
  odd('a JPEG called .txt', 'jpeg.txt', undefined, { after: asItIs }),
  odd('a video called .jpg', 'video.jpg', `${still} -vf scale=320:-2 -pix_fmt yuv420p -f mp4`, unreadable('video')),
  odd('text called .png', 'text.png', undefined, {
    after: (path) => writeFileSync(path, 'no picture\n'.repeat(50)),
    code: 'picture-unreadable',
  }),
  odd('nothing at all', 'empty.jpg', undefined, { after: (path) => writeFileSync(path, ''), code: 'file-empty' }),
  odd('a JPEG that was cut off', 'cut.jpg', `${small} -q:v 2`, isCutOff),
  odd('a PNG that was cut off', 'cut.png', small, isCutOff),
  odd('a WebP that was cut off', 'cut.webp', `${small} -c:v libwebp`, isCutOff),
  odd('one pixel', 'one.png', `${still} -vf scale=1:1`, { code: 'no-face-in-picture' }),
  odd('90 pixels', 'tiny.png', `${still} -vf scale=90:-2`, { code: 'face-too-small' }),
  odd('40 megapixels', 'forty.jpg', `${still} -vf scale=5000:-2`),
  odd('100 megapixels', 'hundred.jpg', `${still} -vf scale=8020:-2 -q:v 8`, { code: 'picture-too-large' }),
  odd('100 megapixels in a PNG', 'hundred.png', `${still} -vf scale=8020:-2 -compression_level 1`, {
    code: 'picture-too-large',
  }),
  odd('very wide', 'wide.png', `${small},pad=4000:ih:1900:0`),
  odd(
    'two faces, the larger one on the right',
    'two.png',
    `${still} -filter_complex split[a][b];[a]scale=200:-2,pad=200:430[l];[b]scale=400:430[r];[l][r]hstack`,
    { faces: 2 },
  ),
  odd('a mask', 'mask.png', `${box}140:215:140:90:0x7fb0d0:fill`, covered('mouth')),
  odd('a hand before the mouth', 'hand.png', `${box}140:215:140:90:0xc09060:fill`, covered('mouth')),
  odd('half behind a wall', 'wall.png', `${box}205:100:140:240:0x203010:fill`, covered('most')),
  odd('a microphone', 'mic.png', `${box}165:235:38:80:black:fill`, { flaws: ['covered'], differs: true }),
  odd('no face', 'noface.png', still, {
    inputs: '-f lavfi -i testsrc=size=400x400',
    code: 'no-face-in-picture',
  }),
]

/**
 * What of an answer is not as expected; empty when all is.
 * @param {OddPicture} one
 * @param {{ result?: import('../../../src/shared/engine/engine.ts').FaceInspection, error?: { code: string, details: Record<string, unknown> } }} answer
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
