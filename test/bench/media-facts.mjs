/** @file What is in a video, told by ffmpeg and ffprobe. For benches only. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } from 'mediabunny'

/**
 * Times (seconds, from the first), sizes and tracks of a file's packets, as its container tells them; how long the last
 * frame lasts, 0 if it doesn't.
 * @param {string} path
 * @returns {{ streams: any[], video: number[], lastMs: number, audio: Map<number, { times: number[], sizes: number[] }> }}
 */
export function packetsOf(path) {
  const { stdout } = spawnSync(
    'ffprobe',
    [
      '-v',
      'error',
      '-show_streams',
      '-show_entries',
      'packet=stream_index,pts_time,duration_time,size,flags',
      '-of',
      'json',
      path,
    ],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  )
  const { streams = [], packets = [] } = JSON.parse(stdout || '{}')
  const first = streams.find((/** @type {any} */ one) => one.codec_type === 'video' && !one.disposition?.attached_pic)
  const audio = new Map()
  /** @type {number[]} */
  const video = []
  let lastMs = 0
  for (const one of streams) if (one.codec_type === 'audio') audio.set(one.index, { times: [], sizes: [] })
  for (const { stream_index: index, pts_time: time, duration_time: duration, size } of packets) {
    if (index === first?.index) {
      if (video.every((before) => before < Number(time))) lastMs = Math.round(Number(duration ?? 0) * 1000)
      video.push(Number(time))
    }
    audio.get(index)?.times.push(Number(time))
    audio.get(index)?.sizes.push(Number(size))
  }
  // A result begins at 0, sound that begins before stays there.
  const earliest = Math.max(0, Math.min(...video, ...[...audio.values()].flatMap(({ times }) => times)))
  const since = (/** @type {number[]} */ times) => times.map((time) => time - earliest)
  for (const track of audio.values()) track.times = since(track.times)
  return { streams, video: since(video.sort((a, b) => a - b)), lastMs, audio }
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
