/** @file Odd videos, made by ffmpeg from the sample, that `matrix.mjs` does not generate. */
import { copyFileSync, writeFileSync } from 'node:fs'
import { sample } from '../../fixtures/clip.ts'
import { changed, cutOff, ffmpeg } from './make.mjs'

/**
 * @typedef {import('./make.mjs').Made & Expected} Odd from the plain clip
 * @typedef {object} Expected
 * @property {string[]} [codes] it must be refused with one of these
 * @property {Record<string, unknown>} [details] that the refusal must have
 * @property {boolean} [mayDiffer] frames or audio need not be the input's
 * @property {boolean} [jumps] its times are those that ffmpeg makes of them
 * @property {string[]} [missing] what the result is said not to have
 * @property {Partial<import('../../../src/shared/options/default-options.ts').SwapOptions>} [options] of the swap
 * @property {'decoded' | 'read' | 'none'} [sound] the sound is the input's once it is decoded, or as the engine's own demuxer
 * reads it, or there is none because MP4 cannot hold it; else its packets are the input's
 */

export const x264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p'
export const aac = '-c:a aac -b:a 64k'
const vp9 = '-c:v libvpx-vp9 -cpu-used 8'
const av1 = '-c:v libsvtav1 -preset 12'
const hevc = '-c:v libx265 -preset ultrafast -x265-params log-level=none'
const openGop = '-c:v libx264 -bf 3 -g 12 -x264-params open-gop=1 -pix_fmt yuv420p'
const wide = '-pix_fmt yuv420p10le -color_primaries bt2020 -colorspace bt2020nc -color_trc'
const sound = '-f lavfi -i sine=440:duration=2'
/** @param {string} when an expression of ffmpeg */
const noisy = (when) => `-vf noise=alls=100:allf=t:enable='${when}' ${x264} -crf 8 ${aac}`

/** Writes noise over a stretch of a file. @param {number} from @param {number} to shares of its length */
const damage = (from, to) =>
  changed((bytes) => {
    for (let at = Math.floor(bytes.length * from); at < bytes.length * to; at += 1) bytes[at] = (at * 7919) & 0xff
    return bytes
  })
const asItIs = (/** @type {string} */ path, /** @type {string} */ plain) => copyFileSync(plain, path)

/** @param {string} name @param {string} file @param {string | undefined} args @param {Partial<Odd>} [more] @returns {Odd} */
const odd = (name, file, args, more = {}) => ({ name, file, ...(args !== undefined && { args }), ...more })
const unsupported = { codes: ['codec-unsupported'] }
const hdr = { ...unsupported, details: { reason: 'range' } }
const maybeDamaged = { codes: ['codec-unsupported', 'video-damaged'] }

/** @type {Odd[]} */
export const oddities = [
  odd('HEVC in MP4', 'hevc.mp4', `${hevc} ${aac}`, unsupported),
  odd('HEVC in MKV', 'hevc.mkv', `${hevc} ${aac}`, unsupported),
  odd('MPEG-4 part 2', 'xvid.mp4', `-c:v mpeg4 ${aac}`, unsupported),
  odd('ProRes in MOV', 'prores.mov', `-c:v prores_ks ${aac}`, maybeDamaged),
  odd('Motion JPEG in MOV', 'mjpeg.mov', `-c:v mjpeg ${aac}`, maybeDamaged),
  odd('AVI', 'a.avi', '-c:v mpeg4 -c:a mp3', { codes: ['not-a-video', 'codec-unsupported'] }),
  odd('pixels higher than wide', 'par2.mp4', `-vf scale=426:180,setsar=3/4 ${x264} ${aac}`),
  odd('odd width', 'oddw.webm', `-vf scale=321:240 ${vp9} -c:a libopus`),
  odd('odd height', 'oddh.webm', `-vf scale=320:241 ${vp9} -c:a libopus`),
  odd('odd both, in full colour', 'oddboth.mp4', `-vf scale=321:241 -c:v libx264 -pix_fmt yuv444p ${aac}`),
  odd('cropped by its headers', 'crop.mp4', `-vf scale=322:242 ${x264} ${aac}`),
  odd('open GOP', 'open.mp4', `${openGop} ${aac}`),
  odd('open GOP in MKV', 'open.mkv', `${openGop} ${aac}`),
  ...['open-gop=1:keyint=12:min-keyint=12', 'intra-refresh=1:keyint=12'].map((how, at) =>
    odd(
      `H.264 with recovery points only: ${how}`,
      `recovery${String(at)}.ts`,
      `-c:v libx264 -bf 2 -x264-params ${how} -pix_fmt yuv420p ${aac}`,
      {
        ...unsupported,
        details: { reason: 'no-start' },
        after: changed((bytes) => bytes.subarray(Math.floor((bytes.length * 0.3) / 188) * 188)),
      },
    ),
  ),
  odd('one key frame', 'onekey.mp4', `${x264} -g 9999 -keyint_min 9999 ${aac}`),
  odd('an edit list that cuts the start', 'edit.mp4', '-c copy', { inputs: '-ss 0.7 -i SOURCE' }),
  odd('three audio tracks', 'tracks.mp4', `-map 0:v -map 1:a -map 2:a -map 1:a ${x264} ${aac}`, {
    inputs: `-i SOURCE ${sound} -f lavfi -i sine=880:duration=2`,
  }),
  odd('audio tracks of different codecs', 'mixed.mkv', `-map 0:v -map 1:a -map 1:a ${x264} -c:a:0 aac -c:a:1 libopus`, {
    inputs: `-i SOURCE ${sound}`,
  }),
  ...[
    { name: 'Opus', codec: 'libopus', ext: 'mp4' },
    { name: 'E-AC-3', codec: 'eac3', ext: 'mkv' },
    // ffmpeg 5 reads MP4's 24-bit PCM as 16-bit.
    { name: '24-bit PCM', codec: 'pcm_s24le', ext: 'mkv', sound: /** @type {const} */ ('read') },
    { name: '24-bit PCM, big end first', codec: 'pcm_s24be', ext: 'mov', sound: /** @type {const} */ ('read') },
    { name: 'float PCM', codec: 'pcm_f32le', ext: 'mov' },
    { name: 'A-law', codec: 'pcm_alaw', ext: 'mov', sound: /** @type {const} */ ('decoded') },
    { name: 'µ-law', codec: 'pcm_mulaw', ext: 'mov', sound: /** @type {const} */ ('decoded') },
    { name: '8-bit PCM', codec: 'pcm_u8', ext: 'mov', sound: /** @type {const} */ ('decoded') },
    { name: 'ALAC', codec: 'alac', ext: 'mov', sound: /** @type {const} */ ('none') },
  ].map(({ name, codec, ext, ...more }) =>
    odd(`${name} sound`, `sound-${codec}.${ext}`, `${x264} -c:a ${codec}`, more),
  ),
  odd('AAC in a private stream', 'private.m2ts', `${x264} ${aac}`, { sound: 'decoded' }),
  odd('six channels', 'surround.mp4', `${x264} -c:a aac -ac 6`),
  ...['yuv422p', 'yuvj420p', 'yuv422p10le'].map((format) =>
    odd(`H.264 ${format}`, `${format}.mp4`, `-c:v libx264 -preset ultrafast -pix_fmt ${format} ${aac}`),
  ),
  odd('AV1 10-bit HDR10', 'hdr10.mp4', `${av1} ${wide} smpte2084 ${aac}`, hdr),
  odd('VP9 10-bit HLG', 'hlg.webm', `${vp9} ${wide} arib-std-b67 -c:a libopus`, hdr),
  odd('two frames', 'two.mp4', `${x264} -frames:v 2 -an`),
  odd('three frames', 'three.webm', '-c:v libvpx -frames:v 3 -an'),
  odd('240 frames a second', 'fast.mp4', `-vf fps=240,scale=320:240 -t 1 ${x264} ${aac}`),
  odd('one frame a second', 'slow.mp4', `-vf fps=1,scale=320:240 ${x264} -an`),
  odd('64 pixels', 'tiny.mp4', `-vf scale=64:48 ${x264} ${aac}`),
  odd('16 pixels', 'tiny16.mp4', `-vf scale=16:16 ${x264} ${aac}`, { codes: ['no-face-in-video'] }),
  odd('4K', '4k.mp4', `-vf scale=3840:2160 -frames:v 12 ${x264} -an`),
  odd('8K', '8k.mp4', `-vf scale=7680:4320 -frames:v 4 ${x264} -an`, { ...unsupported, details: { reason: 'size' } }),
  odd('very wide', 'wide.mp4', `-vf scale=320:240,pad=1600:240:640:0 ${x264} ${aac}`),
  odd('no face', 'noface.mp4', `-map 0:v ${x264}`, {
    inputs: '-f lavfi -i testsrc=duration=2:size=320x240:rate=25',
    codes: ['no-face-in-video'],
  }),
  odd('sound only', 'soundonly.mp4', aac, { inputs: sound, codes: ['no-video-track'] }),
  odd('a cover picture and sound', 'cover.mp3', '-c:a libmp3lame', {
    inputs: sound,
    codes: ['no-video-track', 'not-a-video'],
  }),
  odd('truncated, index at the end', 'cut.mp4', `${x264} ${aac}`, {
    after: cutOff(0.6),
    codes: ['video-damaged', 'not-a-video'],
  }),
  odd('truncated, index at the start', 'cut2.mp4', `${x264} -g 10 ${aac} -movflags +faststart`, {
    after: cutOff(0.6),
    codes: ['video-damaged'],
  }),
  odd('a corrupt stretch in the middle', 'bad.mp4', `${x264} -g 10 -an -movflags +faststart`, {
    after: damage(0.45, 0.55),
  }),
  odd('strong noise between calm frames', 'noise.mp4', noisy('between(n,20,24)')),
  odd('strong noise at first', 'noise1.mp4', noisy('lt(n,12)')),
  odd('a corrupt stretch in VP9', 'bad.webm', `${vp9} -g 10 -an`, { after: damage(0.48, 0.5), mayDiffer: true }),
  odd('a corrupt beginning', 'badstart.mp4', `${x264} -g 10 -an`, { after: damage(0.01, 0.08), mayDiffer: true }),
  odd('an MP4 called .webm', 'wrong.webm', undefined, { after: asItIs }),
  odd('an MP4 called .txt', 'wrong.txt', undefined, { after: asItIs }),
  odd('text called .mp4', 'text.mp4', undefined, {
    after: (path) => writeFileSync(path, 'This is no video.\n'.repeat(99)),
    codes: ['not-a-video'],
  }),
  odd('zeros called .mp4', 'zeros.mp4', undefined, {
    after: (path) => writeFileSync(path, Buffer.alloc(100_000)),
    codes: ['not-a-video', 'video-damaged'],
  }),
  odd('nothing at all', 'empty.mp4', undefined, { after: (path) => writeFileSync(path, ''), codes: ['file-empty'] }),
]

/** @param {string} to @param {string} words of ffmpeg */
function fromSample(to, words) {
  const problem = ffmpeg(words, { SOURCE: sample.video, TO: to })
  if (problem) throw new Error(problem)
}

/**
 * A plain clip of two seconds, 320 × 240, with sound; colours frame the face, so that it can be judged what becomes of
 * them. @param {string} to @throws Error if there is no ffmpeg
 */
export function makePlain(to) {
  const framed = '[1]crop=960:720,scale=256:192[face];[0][face]overlay=32:24:shortest=1,format=yuv420p'
  const inputs = '-f lavfi -i smptebars=size=320x240:rate=25 -i SOURCE -t 2'
  fromSample(to, `${inputs} -filter_complex ${framed} -map 1:a ${x264} -crf 12 ${aac} TO`)
}

/** A clip too large to be read ahead: 12 seconds of noise over the sample. @param {string} to */
export const makeLarge = (to) =>
  fromSample(to, `-stream_loop 2 -i SOURCE -t 12 -vf scale=480:270,noise=alls=30:allf=t ${x264} -b:v 40M ${aac} TO`)
