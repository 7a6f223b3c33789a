/** @file Odd videos, made by ffmpeg from the sample: what each is, and how it is made. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} Odd
 * @property {string} name
 * @property {string} file name with its extension
 * @property {string[]} [args] between the inputs and the output
 * @property {string[]} [inputs] instead of the plain clip; `-i` included
 * @property {(path: string, plain: string) => void} [after] what is done to the file then
 * @property {string[]} [codes] it must be refused with one of these
 * @property {Record<string, unknown>} [details] that the refusal must have
 * @property {boolean} [mayDiffer] frames or audio need not be the input's
 * @property {boolean} [jumps] its times are those that ffmpeg makes of them
 * @property {string[]} [missing] what the result is said not to have
 * @property {Partial<import('../../src/shared/options/default-options.ts').SwapOptions>} [options] of the swap
 * @property {'decoded' | 'read' | 'none'} [sound] the sound is the input's once it is decoded, or as the engine's own demuxer
 * reads it, or there is none because MP4 cannot hold it; else its packets are the input's
 */

export const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
const copy = ['-c', 'copy']
export const aac = ['-c:a', 'aac', '-b:a', '64k']
const scale = (/** @type {string} */ size) => ['-vf', `scale=${size}`]
/** @param {string} when an expression of ffmpeg */
const noisy = (when) => ['-vf', `noise=alls=100:allf=t:enable='${when}'`, ...x264, '-crf', '8']
const sound = ['-f', 'lavfi', '-i', 'sine=440:duration=2']

/** Writes noise over a stretch of a file. @param {number} from @param {number} to shares of its length */
const damage = (from, to) => (/** @type {string} */ path) => {
  const bytes = readFileSync(path)
  for (let at = Math.floor(bytes.length * from); at < bytes.length * to; at += 1) bytes[at] = (at * 7919) & 0xff
  writeFileSync(path, bytes)
}
/** @param {number} share */
const truncate = (share) => (/** @type {string} */ path) => {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * share)))
}

/** @param {string} name @param {string} file @param {string[]} args @param {Partial<Odd>} [more] @returns {Odd} */
const odd = (name, file, args, more = {}) => ({ name, file, args, ...more })
const unsupported = { codes: ['codec-unsupported'] }
const hdr = { ...unsupported, details: { reason: 'range' } }

/** What is not simply copied. @type {Record<string, Partial<Odd>>} */
const soundOf = {
  pcm_alaw: { sound: 'decoded' },
  pcm_mulaw: { sound: 'decoded' },
  pcm_u8: { sound: 'decoded' },
  // ffmpeg 5 reads MP4's 24-bit PCM as 16-bit.
  pcm_s24le: { sound: 'read' },
  pcm_s24be: { sound: 'read' },
  alac: { sound: 'none' },
}

/** @type {Odd[]} */
export const oddities = [
  odd('H.264 in MP4', 'a.mp4', [...x264, ...aac]),
  odd('H.264 in MOV', 'a.mov', [...x264, ...aac]),
  odd('H.264 in MKV', 'a.mkv', [...x264, ...aac]),
  // Its audio packets have headers of their own, which MP4 has not.
  odd('H.264 in MPEG-TS', 'a.ts', [...x264, ...aac], { mayDiffer: true }),
  odd('VP8 in WebM', 'vp8.webm', ['-c:v', 'libvpx', '-b:v', '600k', '-c:a', 'libopus']),
  odd('VP8 with hidden frames', 'vp8alt.webm', [
    '-c:v',
    'libvpx',
    '-b:v',
    '600k',
    '-auto-alt-ref',
    '1',
    '-lag-in-frames',
    '16',
    '-c:a',
    'libvorbis',
  ]),
  odd('VP9 in WebM', 'vp9.webm', ['-c:v', 'libvpx-vp9', '-b:v', '600k', '-cpu-used', '8', '-c:a', 'libopus']),
  odd('VP9 in MP4', 'vp9.mp4', ['-c:v', 'libvpx-vp9', '-b:v', '600k', '-cpu-used', '8', ...aac]),
  odd('AV1 in MP4', 'av1.mp4', ['-c:v', 'libsvtav1', '-preset', '12', ...aac]),
  odd('AV1 in MKV', 'av1.mkv', ['-c:v', 'libsvtav1', '-preset', '12', '-c:a', 'libopus']),
  odd(
    'HEVC in MP4',
    'hevc.mp4',
    ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', ...aac],
    unsupported,
  ),
  odd(
    'HEVC in MKV',
    'hevc.mkv',
    ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', ...aac],
    unsupported,
  ),
  odd('MPEG-4 part 2', 'xvid.mp4', ['-c:v', 'mpeg4', ...aac], unsupported),
  odd('ProRes in MOV', 'prores.mov', ['-c:v', 'prores_ks', ...aac], { codes: ['codec-unsupported', 'video-damaged'] }),
  odd('Motion JPEG in MOV', 'mjpeg.mov', ['-c:v', 'mjpeg', ...aac], { codes: ['codec-unsupported', 'video-damaged'] }),
  odd('AVI', 'a.avi', ['-c:v', 'mpeg4', '-c:a', 'mp3'], { codes: ['not-a-video', 'codec-unsupported'] }),
  ...[90, 180, 270].map((turn) => {
    const metadata = ['-metadata:s:v:0', `rotate=${String(turn)}`]
    return odd(`turned by ${String(turn)}°`, `turn${String(turn)}.mp4`, [...copy, ...metadata])
  }),
  odd('pixels wider than high', 'par.mp4', ['-vf', 'scale=240:240,setsar=4/3', ...x264, ...aac]),
  odd('pixels higher than wide', 'par2.mp4', ['-vf', 'scale=426:180,setsar=3/4', ...x264, ...aac]),
  odd('odd width', 'oddw.webm', ['-vf', 'scale=321:240', '-c:v', 'libvpx-vp9', '-cpu-used', '8', '-c:a', 'libopus']),
  odd('odd height', 'oddh.webm', ['-vf', 'scale=320:241', '-c:v', 'libvpx-vp9', '-cpu-used', '8', '-c:a', 'libopus']),
  odd('odd both, in full colour', 'oddboth.mp4', [
    '-vf',
    'scale=321:241',
    '-c:v',
    'libx264',
    '-pix_fmt',
    'yuv444p',
    ...aac,
  ]),
  odd('cropped by its headers', 'crop.mp4', ['-vf', 'scale=322:242', ...x264, ...aac]),
  odd('variable frame rate', 'vfr.mp4', [
    '-vf',
    "select='not(mod(n,3))+not(mod(n,5))',scale=320:240",
    '-fps_mode',
    'vfr',
    ...x264,
    ...aac,
  ]),
  odd('variable frame rate in MKV', 'vfr.mkv', [
    '-vf',
    "select='gt(mod(n,7),1)',scale=320:240",
    '-fps_mode',
    'vfr',
    ...x264,
    ...aac,
  ]),
  odd('29.97 frames a second', 'ntsc.mp4', ['-r', '30000/1001', ...x264, ...aac]),
  odd('23.976 in MKV', 'film.mkv', ['-r', '24000/1001', ...x264, ...aac]),
  odd('B-frames', 'b.mp4', ['-c:v', 'libx264', '-bf', '4', '-pix_fmt', 'yuv420p', ...aac]),
  odd('open GOP', 'open.mp4', [
    '-c:v',
    'libx264',
    '-bf',
    '3',
    '-g',
    '12',
    '-x264-params',
    'open-gop=1',
    '-pix_fmt',
    'yuv420p',
    ...aac,
  ]),
  odd('open GOP in MKV', 'open.mkv', [
    '-c:v',
    'libx264',
    '-bf',
    '3',
    '-g',
    '12',
    '-x264-params',
    'open-gop=1',
    '-pix_fmt',
    'yuv420p',
    ...aac,
  ]),
  odd('every frame a key frame', 'intra.mp4', [...x264, '-g', '1', ...aac]),
  odd('one key frame', 'onekey.mp4', [...x264, '-g', '9999', '-keyint_min', '9999', ...aac]),
  odd('an edit list that cuts the start', 'edit.mp4', copy, { inputs: ['-ss', '0.7', '-i', 'PLAIN'] }),
  odd('starting late', 'late.mp4', ['-output_ts_offset', '3', ...copy]),
  odd('starting late in MKV', 'late.mkv', ['-output_ts_offset', '3', ...copy]),
  odd('no audio', 'mute.mp4', [...x264, '-an']),
  odd('audio that starts late', 'latesound.mp4', ['-map', '0:v', '-map', '1:a', ...x264, ...aac], {
    inputs: ['-i', 'PLAIN', '-itsoffset', '0.8', ...sound],
  }),
  odd('audio that starts early', 'earlysound.mp4', ['-map', '0:v', '-map', '1:a', ...x264, ...aac], {
    inputs: ['-itsoffset', '0.5', '-i', 'PLAIN', ...sound],
  }),
  odd('audio longer than video', 'longsound.mp4', ['-map', '0:v', '-map', '1:a', ...x264, ...aac], {
    inputs: ['-i', 'PLAIN', '-f', 'lavfi', '-i', 'sine=440:duration=5'],
  }),
  odd(
    'three audio tracks',
    'tracks.mp4',
    ['-map', '0:v', '-map', '1:a', '-map', '2:a', '-map', '1:a', ...x264, ...aac],
    { inputs: ['-i', 'PLAIN', ...sound, '-f', 'lavfi', '-i', 'sine=880:duration=2'] },
  ),
  odd(
    'audio tracks of different codecs',
    'mixed.mkv',
    ['-map', '0:v', '-map', '1:a', '-map', '1:a', ...x264, '-c:a:0', 'aac', '-c:a:1', 'libopus'],
    { inputs: ['-i', 'PLAIN', ...sound] },
  ),
  ...[
    ['Opus', 'libopus', 'mp4'],
    ['MP3', 'libmp3lame', 'mp4'],
    ['AC-3', 'ac3', 'mp4'],
    ['E-AC-3', 'eac3', 'mkv'],
    ['FLAC', 'flac', 'mkv'],
    ['Vorbis', 'libvorbis', 'mkv'],
    ['16-bit PCM', 'pcm_s16le', 'mov'],
    ['24-bit PCM', 'pcm_s24le', 'mkv'],
    ['float PCM', 'pcm_f32le', 'mov'],
    ['A-law', 'pcm_alaw', 'mov'],
    ['µ-law', 'pcm_mulaw', 'mov'],
    ['8-bit PCM', 'pcm_u8', 'mov'],
    ['24-bit PCM, big end first', 'pcm_s24be', 'mov'],
    ['ALAC', 'alac', 'mov'],
  ].map(([name = '', codec = '', ext = '']) =>
    odd(`${name} sound`, `sound-${codec}.${ext}`, [...x264, '-c:a', codec], soundOf[codec]),
  ),
  odd('six channels', 'surround.mp4', [...x264, '-c:a', 'aac', '-ac', '6']),
  ...['yuv422p', 'yuv444p', 'yuvj420p', 'yuv420p10le', 'yuv422p10le'].map((format) =>
    odd(`H.264 ${format}`, `${format}.mp4`, ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', format, ...aac]),
  ),
  odd('VP9 10-bit', 'vp910.webm', [
    '-c:v',
    'libvpx-vp9',
    '-cpu-used',
    '8',
    '-pix_fmt',
    'yuv420p10le',
    '-c:a',
    'libopus',
  ]),
  odd(
    'AV1 10-bit HDR10',
    'hdr10.mp4',
    [
      '-c:v',
      'libsvtav1',
      '-preset',
      '12',
      '-pix_fmt',
      'yuv420p10le',
      '-color_primaries',
      'bt2020',
      '-color_trc',
      'smpte2084',
      '-colorspace',
      'bt2020nc',
      ...aac,
    ],
    hdr,
  ),
  odd(
    'VP9 10-bit HLG',
    'hlg.webm',
    [
      '-c:v',
      'libvpx-vp9',
      '-cpu-used',
      '8',
      '-pix_fmt',
      'yuv420p10le',
      '-color_primaries',
      'bt2020',
      '-color_trc',
      'arib-std-b67',
      '-colorspace',
      'bt2020nc',
      '-c:a',
      'libopus',
    ],
    hdr,
  ),
  odd('full range, tagged', 'full.mp4', ['-vf', 'scale=out_range=full', ...x264, '-color_range', 'pc', ...aac]),
  odd('BT.601, tagged', 'bt601.mp4', [
    ...x264,
    '-colorspace',
    'smpte170m',
    '-color_primaries',
    'smpte170m',
    '-color_trc',
    'smpte170m',
    ...aac,
  ]),
  odd('one frame', 'one.mp4', [...x264, '-frames:v', '1', '-an']),
  odd('two frames', 'two.mp4', [...x264, '-frames:v', '2', '-an']),
  odd('three frames', 'three.webm', ['-c:v', 'libvpx', '-frames:v', '3', '-an']),
  odd('240 frames a second', 'fast.mp4', ['-vf', 'fps=240,scale=320:240', '-t', '1', ...x264, ...aac]),
  odd('one frame a second', 'slow.mp4', ['-vf', 'fps=1,scale=320:240', ...x264, '-an']),
  odd('64 pixels', 'tiny.mp4', [...scale('64:48'), ...x264, ...aac]),
  odd('16 pixels', 'tiny16.mp4', [...scale('16:16'), ...x264, ...aac], { codes: ['no-face-in-video'] }),
  odd('4K', '4k.mp4', [...scale('3840:2160'), '-frames:v', '12', ...x264, '-an']),
  odd('8K', '8k.mp4', [...scale('7680:4320'), '-frames:v', '4', ...x264, '-an'], {
    ...unsupported,
    details: { reason: 'size' },
  }),
  odd('very wide', 'wide.mp4', ['-vf', 'scale=320:240,pad=1600:240:640:0', ...x264, ...aac]),
  odd('no face', 'noface.mp4', ['-map', '0:v', ...x264], {
    inputs: ['-f', 'lavfi', '-i', 'testsrc=duration=2:size=320x240:rate=25'],
    codes: ['no-face-in-video'],
  }),
  odd('sound only', 'soundonly.mp4', [...aac], { inputs: sound, codes: ['no-video-track'] }),
  odd('a cover picture and sound', 'cover.mp3', ['-c:a', 'libmp3lame'], {
    inputs: sound,
    codes: ['no-video-track', 'not-a-video'],
  }),
  odd('truncated, index at the end', 'cut.mp4', [...x264, ...aac], {
    after: truncate(0.6),
    codes: ['video-damaged', 'not-a-video'],
  }),
  odd('truncated, index at the start', 'cut2.mp4', [...x264, '-g', '10', ...aac, '-movflags', '+faststart'], {
    after: truncate(0.6),
    codes: ['video-damaged'],
  }),
  odd('truncated MKV', 'cut.mkv', [...x264, '-g', '10', ...aac], {
    after: truncate(0.6),
    mayDiffer: true,
    missing: ['end'],
  }),
  odd('a corrupt stretch in the middle', 'bad.mp4', [...x264, '-g', '10', '-an', '-movflags', '+faststart'], {
    after: damage(0.45, 0.55),
  }),
  odd('strong noise between calm frames', 'noise.mp4', [...noisy('between(n,20,24)'), ...aac]),
  odd('strong noise at first', 'noise1.mp4', [...noisy('lt(n,12)'), ...aac]),
  odd('a corrupt stretch in VP9', 'bad.webm', ['-c:v', 'libvpx-vp9', '-cpu-used', '8', '-g', '10', '-an'], {
    after: damage(0.48, 0.5),
    mayDiffer: true,
  }),
  odd('a corrupt beginning', 'badstart.mp4', [...x264, '-g', '10', '-an'], {
    after: damage(0.01, 0.08),
    mayDiffer: true,
  }),
  odd('an MP4 called .webm', 'wrong.webm', [], { inputs: [], after: (path, plain) => copyFileSync(plain, path) }),
  odd('an MP4 called .txt', 'wrong.txt', [], { inputs: [], after: (path, plain) => copyFileSync(plain, path) }),
  odd('text called .mp4', 'text.mp4', [], {
    inputs: [],
    after: (path) => writeFileSync(path, 'This is no video.\n'.repeat(99)),
    codes: ['not-a-video'],
  }),
  odd('zeros called .mp4', 'zeros.mp4', [], {
    inputs: [],
    after: (path) => writeFileSync(path, Buffer.alloc(100_000)),
    codes: ['not-a-video', 'video-damaged'],
  }),
  odd('nothing at all', 'empty.mp4', [], {
    inputs: [],
    after: (path) => writeFileSync(path, ''),
    codes: ['file-empty'],
  }),
  odd('fragmented MP4', 'frag.mp4', [...x264, ...aac, '-movflags', 'frag_keyframe+empty_moov']),
  odd('subtitles beside', 'subs.mkv', [...x264, ...aac], {}),
]

/**
 * A plain clip of two seconds, 320 × 240, with sound; colours frame the face, so that it can be judged what becomes of
 * them. @param {string} sample @param {string} to
 */
export function makePlain(sample, to) {
  const bars = ['-f', 'lavfi', '-i', 'smptebars=size=320x240:rate=25']
  const framed = '[1]crop=960:720,scale=256:192[face];[0][face]overlay=32:24:shortest=1,format=yuv420p'
  const args = ['-v', 'error', '-y', ...bars, '-i', sample, '-t', '2', '-filter_complex', framed, '-map', '1:a']
  return spawnSync('ffmpeg', [...args, ...x264, '-crf', '12', ...aac, to]).status === 0
}

/** A clip too large to be read ahead: 12 seconds of noise over the sample. @param {string} sample @param {string} to */
export function makeLarge(sample, to) {
  const noisy = ['-t', '12', '-vf', 'scale=480:270,noise=alls=30:allf=t', ...x264, '-b:v', '40M', ...aac, to]
  return spawnSync('ffmpeg', ['-v', 'error', '-y', '-stream_loop', '2', '-i', sample, ...noisy]).status === 0
}

/** @param {Odd} one @param {string} dir @param {string} plain @returns {string | null} the file; null when ffmpeg cannot make it */
export function makeOdd(one, dir, plain) {
  const path = join(dir, one.file)
  const inputs = (one.inputs ?? ['-i', 'PLAIN']).map((arg) => (arg === 'PLAIN' ? plain : arg))
  if (inputs.length > 0) {
    const args = ['-v', 'error', '-y', ...inputs, ...(one.args ?? []), path]
    const { status, stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8' })
    if (status !== 0) {
      process.stderr.write(`${one.name}: ${stderr}\n`)
      return null
    }
  }
  one.after?.(path, plain)
  return path
}
