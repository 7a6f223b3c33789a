/** @file Odd videos that are generated: every fault in every codec and container that can have it. */
import { aac, x264 } from './clips.mjs'
import { changed, cutOff } from './make.mjs'

/** @typedef {import('./clips.mjs').Odd} Odd */

/**
 * @typedef {object} Carrier
 * @property {string} codec
 * @property {string} container
 * @property {string} ext
 * @property {string} video
 * @property {string} sound
 */

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {(carrier: Carrier) => boolean} [fits]
 * @property {string[]} [filters] of the picture
 * @property {string} [args] after the carrier's
 * @property {(carrier: Carrier) => Partial<Odd>} [more]
 */

const vp8 = '-c:v libvpx -b:v 1M -cpu-used 8 -deadline realtime'
const vp9 = '-c:v libvpx-vp9 -b:v 1M -cpu-used 8 -deadline realtime'
const av1 = '-c:v libsvtav1 -preset 12 -crf 30 -svtav1-params tune=0'
const opus = '-c:a libopus'
const fragmented = '-movflags frag_keyframe+empty_moov -g 5'

/** @type {Carrier[]} */
const carriers = [
  ['H.264', 'MP4', 'mp4', x264, aac],
  ['H.264', 'fragmented MP4', 'mp4', `${x264} ${fragmented}`, aac],
  ['H.264', 'MOV', 'mov', x264, aac],
  ['H.264', 'MKV', 'mkv', x264, aac],
  ['H.264', 'TS', 'ts', x264, aac],
  ['VP8', 'MKV', 'mkv', vp8, opus],
  ['VP8', 'WebM', 'webm', vp8, opus],
  ['VP9', 'MP4', 'mp4', vp9, aac],
  ['VP9', 'MKV', 'mkv', vp9, aac],
  ['VP9', 'WebM', 'webm', vp9, opus],
  ['AV1', 'MP4', 'mp4', av1, aac],
  ['AV1', 'MKV', 'mkv', av1, opus],
].map(([codec, container, ext, video, sound]) => /** @type {Carrier} */ ({ codec, container, ext, video, sound }))

const isOne =
  (/** @type {string[]} */ ...names) =>
  (/** @type {Carrier} */ { codec, container }) =>
    names.includes(codec) || names.includes(container)
/** Their tracks have a matrix, chapters and subtitles. */
const isMov = isOne('MP4', 'MOV')
const isMatroska = isOne('MKV', 'WebM')
const data = (/** @type {string} */ text) => `data:text/plain;base64,${Buffer.from(text).toString('base64')}`
const chapters = data(
  ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=1000\ntitle=Two\n',
)
const subtitles = data('1\n00:00:00,100 --> 00:00:00,900\nHello\n')
const both = '-map 0:v -map 1:a'

/** Writes the first track's matrix of an MP4 file (ISO/IEC 14496-12, 8.3.2). */
const matrix = (/** @type {[a: number, b: number, c: number, d: number]} */ ...[a, b, c, d]) => ({
  after: changed((bytes) => {
    const at = bytes.indexOf('tkhd') + 44
    for (const [index, value] of [a, b, 0, c, d].entries()) bytes.writeInt32BE(value * 65_536, at + index * 4)
    return bytes
  }),
})
const twice = changed((bytes) => Buffer.concat([bytes, bytes]))

const colours = Object.entries({
  'no tags': [],
  'BT.601': ['smpte170m', 'smpte170m', 'smpte170m'],
  'BT.470BG': ['bt470bg', 'gamma28', 'bt470bg'],
  'BT.709': ['bt709', 'bt709', 'bt709'],
  '240M': ['smpte240m', 'smpte240m', 'smpte240m'],
  'BT.2020': ['bt2020', 'bt2020-10', 'bt2020nc'],
}).map(([name, [primaries, transfer, space]]) => {
  const tags = `-color_primaries ${String(primaries)} -color_trc ${String(transfer)} -colorspace ${String(space)}`
  return { name, args: primaries ? tags : '' }
})
/** A fifth of a second tells colours. */
const short = '-t 0.2 -an'
/** For which players assume BT.601, and BT.709. */
const sizes = ['320:240', '960:720']

/** @type {Fault[]} */
const faults = [
  { name: 'nothing' },
  ...['3', '50000'].map((seconds) => ({ name: `${seconds} s late`, args: `-output_ts_offset ${seconds}` })),
  { name: 'sound first', args: both, more: () => ({ inputs: '-itsoffset 0.4 -i SOURCE -i SOURCE' }) },
  { name: 'picture first', args: both, more: () => ({ inputs: '-i SOURCE -itsoffset 0.4 -i SOURCE' }) },
  {
    name: 'two tracks of sound, of which the second is the usual one',
    args: [
      '-map 0:v -map 0:a -map 0:a',
      '-metadata:s:a:0 language=ger -metadata:s:a:0 title=Commentary -disposition:a:0 0',
      '-metadata:s:a:1 language=eng -metadata:s:a:1 title=Original -disposition:a:1 default',
    ].join(' '),
  },
  { name: 'no sound', args: '-an' },
  {
    name: 'sound longer than the picture',
    args: both,
    more: () => ({ inputs: '-i SOURCE -f lavfi -i sine=440:duration=2' }),
  },
  { name: 'MP3 sound', fits: isOne('MP4', 'MOV', 'MKV', 'TS'), args: '-c:a libmp3lame' },
  { name: 'AC-3 sound', fits: isOne('MP4', 'MOV', 'MKV', 'TS'), args: '-c:a ac3' },
  { name: 'FLAC sound', fits: isOne('MKV'), args: '-c:a flac' },
  { name: 'PCM sound', fits: isOne('MKV', 'MOV'), args: '-c:a pcm_s16le' },
  { name: 'Vorbis sound', fits: isMatroska, args: '-c:a libvorbis' },
  {
    name: 'a variable frame rate',
    filters: ["select='not(mod(n,3))+not(mod(n,5))'"],
    args: '-fps_mode vfr',
  },
  { name: '29.97 frames a second', args: '-r 30000/1001' },
  { name: 'reordered frames', fits: isOne('H.264'), args: '-preset veryfast -bf 3' },
  { name: 'half pictures', fits: isOne('H.264'), args: '-flags +ilme+ildct -x264-params tff=1', more: () => ({ missing: ['fields'] }) }, // prettier-ignore
  { name: 'hidden frames', fits: isOne('VP8', 'VP9'), args: '-auto-alt-ref 1 -lag-in-frames 16 -deadline good' }, // prettier-ignore
  { name: 'only key frames', args: '-g 1' },
  { name: 'one frame', args: '-frames:v 1 -an' },
  { name: 'ten bits', fits: isOne('H.264', 'VP9', 'AV1'), args: '-pix_fmt yuv420p10le' },
  { name: 'full colour', fits: isOne('H.264', 'VP9'), args: '-pix_fmt yuv444p' },
  { name: 'an odd size', fits: isOne('VP8', 'VP9'), filters: ['scale=321:241'] },
  { name: 'wide pixels', filters: ['scale=240:240', 'setsar=4/3'] },
  {
    name: 'a second picture',
    fits: isOne('MP4', 'MOV', 'MKV'),
    args: '-map 0 -map 1:v',
    more: () => ({
      inputs: '-i SOURCE -f lavfi -i testsrc=size=160x120:rate=25:duration=1',
      missing: ['pictures'],
    }),
  },
  { name: 'an index of the beginning only', fits: isMov, args: '-g 5 -movflags frag_keyframe' },
  { name: 'PCM sound, and an index of the beginning only', fits: isOne('MOV'), args: '-c:a pcm_s16le -g 5 -movflags frag_keyframe' }, // prettier-ignore
  { name: 'a fragment for each frame', fits: isOne('fragmented MP4'), args: '-movflags frag_every_frame+empty_moov' },
  { name: 'a turn of 90°', fits: isMov, more: () => matrix(0, 1, -1, 0) },
  { name: 'a turn of 180°', fits: isMov, more: () => matrix(-1, 0, 0, -1) },
  { name: 'a turn of 270°', fits: isMov, more: () => matrix(0, -1, 1, 0) },
  { name: 'a mirror', fits: isMov, more: () => matrix(-1, 0, 0, 1) },
  {
    name: 'chapters',
    fits: (carrier) => isMov(carrier) || isMatroska(carrier),
    args: '-map_chapters 1',
    more: () => ({ inputs: `-i SOURCE -f ffmetadata -i ${chapters}` }),
  },
  {
    name: 'subtitles',
    fits: (carrier) => isMov(carrier) || isMatroska(carrier),
    args: '-map 0 -map 1',
    more: ({ ext }) => ({
      inputs: `-i SOURCE -f srt -i ${subtitles}`,
      args: `-c:s ${ext === 'mkv' ? 'srt' : ext === 'webm' ? 'webvtt' : 'mov_text'}`,
    }),
  },
  { name: 'no end', fits: isOne('fragmented MP4', 'MKV', 'WebM', 'TS'), args: '-g 5', more: ({ container }) => ({ after: cutOff(0.7), mayDiffer: true, missing: container === 'TS' ? [] : ['end'] }) }, // prettier-ignore
  { name: 'a clock that jumps', fits: isOne('TS'), more: () => ({ after: twice, jumps: true }) },
  ...colours.flatMap(({ name, args }) =>
    sizes.map((size) => ({ name: `${name} at ${size}`, filters: [`scale=${size}`], args: `${short} ${args}` })),
  ),
  ...sizes.map((size) => ({
    // VP8's own bit can contradict its container; ffmpeg believes the former, Chromium the latter.
    fits: (/** @type {Carrier} */ { codec }) => codec !== 'VP8',
    ...{ name: `full range at ${size}`, filters: [`scale=${size}:out_range=full`] },
    args: `${short} -color_range pc`,
  })),
  // What players assume for the source is what its smaller result has to say.
  ...colours.slice(0, 2).map(({ name, args }) => ({
    ...{ name: `${name}, made smaller`, filters: ['scale=960:720'], args: `${short} ${args}` },
    more: () => ({ options: { size: /** @type {const} */ ('360p') } }),
  })),
  { name: 'a label', args: short, more: () => ({ options: { label: /** @type {const} */ ('eu') } }) },
]

/** @type {Odd[]} */
export const oddMatrix = carriers.flatMap((carrier) =>
  faults
    .filter(({ fits }) => fits?.(carrier) ?? true)
    .map(({ name, filters = [], args = '', more }) => {
      const { codec, container, ext, video, sound } = carrier
      const called = `${codec} in ${container}: ${name}`
      const { args: last = '', ...rest } = more?.(carrier) ?? {}
      const filter = filters.length > 0 ? `-vf ${filters.join()}` : ''
      return {
        ...{ name: called, file: `${called.replaceAll(/[^\w.]+/g, '-')}.${ext}` },
        args: `-t 1 ${filter} ${video} ${sound} ${args} ${last}`,
        // Packets of AAC have headers of their own in TS.
        ...(container === 'TS' && { sound: /** @type {const} */ ('decoded') }),
        ...rest,
      }
    }),
)
