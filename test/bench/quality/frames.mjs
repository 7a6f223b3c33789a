/** @file Frames, times and packets of files, by ffmpeg (which the product does not use). */
import { spawn, spawnSync } from 'node:child_process'

/** @param {string} tool @param {string[]} args */
function read(tool, args) {
  const { status, stdout, stderr } = spawnSync(tool, ['-v', 'error', ...args], { maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${tool} ${args.join(' ')}: ${stderr}`)
  return stdout
}

/** @param {string[]} args of ffmpeg */
export const ffmpeg = (...args) => void read('ffmpeg', ['-y', '-threads', '1', ...args])

/** @param {string} path */
export function sizeOf(path) {
  const [width = 0, height = 0] = String(
    read('ffprobe', ['-select_streams', 'v:0', '-show_entries', 'stream=width,height', '-of', 'csv=p=0', path]),
  )
    .trim()
    .split(',')
    .map(Number)
  return { width, height }
}

/** Every frame as RGB, in order. @param {string} path @param {number} [max] @param {string[]} [how] more arguments */
export async function* framesOf(path, max = Infinity, how = []) {
  const { width, height } = sizeOf(path)
  const args = [
    '-v',
    'error',
    '-threads',
    '1',
    '-i',
    path,
    ...how,
    '-vsync',
    '0',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
  ]
  const child = spawn('ffmpeg', [...args, '-'], { stdio: ['ignore', 'pipe', 'ignore'] })
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
  const entries = ['-show_entries', 'packet=pts_time', '-of', 'csv=p=0', path]
  const times = String(read('ffprobe', ['-select_streams', 'v:0', ...entries]))
    .trim()
    .split('\n')
    .map((line) => Number.parseFloat(line))
    .sort((a, b) => a - b)
  const audio = spawnSync('ffmpeg', ['-v', 'error', '-i', path, '-map', '0:a', '-c', 'copy', '-f', 'md5', '-'])
  return { times, audio: audio.status === 0 ? String(audio.stdout).trim() : 'none' }
}
