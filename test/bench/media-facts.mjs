/** @file What is in a video, told by ffmpeg: every frame's time and picture, every audio packet. For tests and benches only. */
import { spawnSync } from 'node:child_process'

/** @param {string[]} args */
function ffmpeg(args) {
  const { status, stdout, stderr } = spawnSync('ffmpeg', ['-v', 'error', ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  return { ok: status === 0, text: stdout, error: stderr }
}

const lines = (/** @type {string} */ text) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

/** @param {string} path */
export function facts(path) {
  const video = ffmpeg(['-i', path, '-map', '0:v:0', '-fps_mode', 'passthrough', '-copyts', '-f', 'framemd5', '-'])
  const audio = ffmpeg(['-i', path, '-map', '0:a?', '-c', 'copy', '-copyts', '-f', 'framemd5', '-'])
  return { frames: lines(video.text), audio: lines(audio.text), error: video.error + audio.error }
}

/**
 * Times (seconds, from the first), sizes and tracks of a file's packets, as its container tells them.
 * @param {string} path
 * @returns {{ streams: any[], video: number[], audio: Map<number, { times: number[], sizes: number[] }> }}
 */
export function packetsOf(path) {
  const { stdout } = spawnSync(
    'ffprobe',
    ['-v', 'error', '-show_streams', '-show_entries', 'packet=stream_index,pts_time,size,flags', '-of', 'json', path],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  )
  const { streams = [], packets = [] } = JSON.parse(stdout || '{}')
  const first = streams.find((/** @type {any} */ one) => one.codec_type === 'video' && !one.disposition?.attached_pic)
  const audio = new Map()
  const video = []
  for (const one of streams) if (one.codec_type === 'audio') audio.set(one.index, { times: [], sizes: [] })
  for (const { stream_index: index, pts_time: time, size } of packets) {
    if (index === first?.index) video.push(Number(time))
    audio.get(index)?.times.push(Number(time))
    audio.get(index)?.sizes.push(Number(size))
  }
  return { streams, video: video.sort((a, b) => a - b), audio }
}
