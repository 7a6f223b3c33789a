/** @file What is in a video, told by ffmpeg and ffprobe. For benches only. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } from 'mediabunny'

/** @param {string} path @param {string[]} [options] of the demuxer @returns {any} */
function probe(path, options = []) {
  const entries = 'packet=stream_index,pts_time,duration_time,size,flags:format=format_name'
  const args = ['-v', 'error', ...options, '-show_streams', '-show_entries', entries, '-of', 'json', path]
  const { stdout } = spawnSync('ffprobe', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
  return JSON.parse(stdout || '{}')
}

/**
 * Milliseconds of the last frame in a stream's packets; 0 if it isn't told.
 * @param {any[]} packets @param {number} stream
 */
function lastOf(packets, stream) {
  const own = packets.filter((one) => one.stream_index === stream)
  const time = Math.max(...own.map((one) => Number(one.pts_time)))
  return Math.round(Number(own.find((one) => Number(one.pts_time) === time)?.duration_time ?? 0) * 1000)
}

/**
 * Times (seconds, from the first), sizes and tracks of a file's packets, as its container tells them; how long the last
 * frame lasts, 0 if it doesn't.
 * @param {string} path
 * @returns {{ streams: any[], video: number[], lastMs: number, earliest: number, audio: Map<number, { times: number[], sizes: number[] }> }}
 */
export function packetsOf(path) {
  const { streams = [], packets = [], format } = probe(path)
  const first = streams.find((/** @type {any} */ one) => one.codec_type === 'video' && !one.disposition?.attached_pic)
  const audio = new Map()
  /** @type {number[]} */
  const video = []
  for (const one of streams) if (one.codec_type === 'audio') audio.set(one.index, { times: [], sizes: [] })
  for (const { stream_index: index, pts_time: time, size } of packets) {
    if (index === first?.index) video.push(Number(time))
    audio.get(index)?.times.push(Number(time))
    audio.get(index)?.sizes.push(Number(size))
  }
  // ffmpeg ends a track of MP4 where its media ends, but begins it where its edit list says. So the last frame of what
  // begins late is too short, also in what ffmpeg writes itself.
  const isMp4 = format?.format_name.includes('mp4')
  const lastMs = lastOf(isMp4 ? probe(path, ['-ignore_editlist', '1']).packets : packets, first?.index)
  // A result begins at 0, sound that begins before stays there.
  const earliest = Math.max(0, Math.min(...video, ...[...audio.values()].flatMap(({ times }) => times)))
  const since = (/** @type {number[]} */ times) => times.map((time) => time - earliest)
  for (const track of audio.values()) track.times = since(track.times)
  return { streams, video: since(video.sort((a, b) => a - b)), lastMs, audio, earliest }
}

/**
 * Chapters and subtitles of a file, a line each. Times are seconds from the file's first picture or sound.
 * @param {string} path @param {number} earliest its time
 * @returns {{ time: number, text: string }[]}
 */
export function textsOf(path, earliest) {
  const { chapters } = JSON.parse(
    spawnSync('ffprobe', ['-v', 'error', '-show_chapters', '-of', 'json', path], { encoding: 'utf8' }).stdout,
  )
  const shown = spawnSync('ffmpeg', ['-v', 'error', '-copyts', '-i', path, '-map', '0:s?', '-f', 'srt', '-'], {
    encoding: 'utf8',
  }).stdout
  const cues = [...shown.matchAll(/(\d+):(\d+):(\d+),(\d+) --> .*\n([^]*?)\n\n/g)].map(([, h, m, s, ms, text]) => ({
    time: Number(h) * 3600 + Number(m) * 60 + Number(s) + Number(ms) / 1000,
    text: String(text).replaceAll(/<[^>]*>/g, ''),
  }))
  const marks = chapters.map((/** @type {any} */ one) => ({ time: Number(one.start_time), text: one.tags?.title }))
  return [...marks, ...cues].map(({ time, text }) => ({ time: Math.max(0, time - earliest), text }))
}

/** A file's sound once it is decoded, as a digest; 16 bits deep. @param {string} path */
export const decodedSound = (path) =>
  spawnSync('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:a', '-c:a', 'pcm_s16le', '-f', 'md5', '-'], {
    encoding: 'utf8',
  }).stdout

/** The bytes of a file's first sound track as mediabunny reads them, as a digest. @param {string} path */
export async function readSound(path) {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS })
  try {
    const track = await input.getPrimaryAudioTrack()
    if (!track) return null
    const hash = createHash('sha256')
    for await (const { data } of new EncodedPacketSink(track).packets()) hash.update(data)
    return hash.digest('hex')
  } finally {
    input.dispose()
  }
}
