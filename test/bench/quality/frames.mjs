/** @file Frames, times and packets of files, by ffmpeg (which the product does not use). */
import { spawn, spawnSync } from 'node:child_process'
import { run } from '../lib/harness.mjs'

/** @param {string[]} args of ffmpeg */
export const ffmpeg = (...args) => void run('ffmpeg', '-v', 'error', '-y', '-threads', '1', ...args)

/** What ffprobe says of the first stream of pictures, a line each. @param {string} path @param {string} entries */
const probe = (path, entries) =>
  run('ffprobe', '-v', 'error', '-select_streams', 'v:0', '-show_entries', entries, '-of', 'csv=p=0', path).trim()

/** @param {string} path */
function sizeOf(path) {
  const [width = 0, height = 0] = probe(path, 'stream=width,height').split(',').map(Number)
  return { width, height }
}

/** Every frame as RGB, in order. @param {string} path @param {number} [max] */
export async function* framesOf(path, max = Infinity) {
  const { width, height } = sizeOf(path)
  const output = ['-vsync', '0', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-']
  const args = ['-v', 'error', '-threads', '1', '-i', path, ...output]
  const child = spawn('ffmpeg', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const size = width * height * 3
  let frame = new Uint8Array(size)
  let filled = 0
  let count = 0
  try {
    for await (const chunk of child.stdout) {
      for (let at = 0; at < chunk.length;) {
        const part = chunk.subarray(at, at + size - filled)
        frame.set(part, filled)
        filled += part.length
        at += part.length
        if (filled < size) continue
        yield { data: frame, width, height }
        count += 1
        if (count >= max) return
        frame = new Uint8Array(size)
        filled = 0
      }
    }
  } finally {
    child.kill()
  }
}

/** A still as RGB. @param {string} path */
export async function stillOf(path) {
  for await (const frame of framesOf(path, 1)) return frame
  throw new Error(`${path}: no picture`)
}

/** Presentation times of the frames, and a hash of the audio packets. @param {string} path */
export function timingOf(path) {
  const times = probe(path, 'packet=pts_time')
    .split('\n')
    .map((line) => Number.parseFloat(line))
    .sort((a, b) => a - b)
  const audio = spawnSync('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:a', '-c', 'copy', '-f', 'md5', '-'])
  return { times, audio: audio.status === 0 ? String(audio.stdout).trim() : 'none' }
}
