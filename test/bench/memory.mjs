/**
 * @file Whether memory and disk stay bounded whatever the length: a clip of ten seconds and one of ten minutes (the sample
 * at 360p, looped), each swapped by a process of its own. Memory is the highest PSS of the whole process tree; disk the
 * most that the job's folder held, the output included, in outputs. `--seconds N` (600) of the long clip.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outDir } from '../../scripts/build.mjs'
import { buildEngineMain, EngineProcess } from './engine-process.mjs'
import { pssOf } from './process-tree.mjs'

const root = join(import.meta.dirname, '../..')
const at = process.argv.indexOf('--seconds')
const lengths = [10, at < 0 ? 600 : Number(process.argv[at + 1])]
/** What may be: the long clip's memory in the short one's, and a folder in its output. */
const max = { memory: 1.1, disk: 2 }
const work = mkdtempSync(join(tmpdir(), 'mien-memory-'))
const quiet = process.argv.includes('--json')

/** @param {string[]} args */
function ffmpeg(args) {
  if (spawnSync('ffmpeg', ['-v', 'error', ...args], { stdio: 'inherit' }).status !== 0) throw new Error('no clip')
}

/** @param {string} dir */
function sizeOf(dir) {
  let bytes = 0
  for (const name of readdirSync(dir)) bytes += statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0
  return bytes
}

/** @param {string} main @param {number} seconds */
async function measure(main, seconds) {
  const video = join(work, `${String(seconds)}.mp4`)
  const dir = join(work, `job-${String(seconds)}`)
  ffmpeg(['-stream_loop', '-1', '-i', join(work, 'small.mp4'), '-t', String(seconds), '-c', 'copy', video])
  const engine = new EngineProcess(main, process.env['MIEN_OUT'] ?? outDir)
  await engine.next()
  /** MiB, by second. @type {number[]} */
  const pss = []
  let disk = 0
  engine.onProgress = () => {
    disk = Math.max(disk, sizeOf(dir))
  }
  const timer = setInterval(() => pss.push(pssOf(engine.pid).mb), 1000)
  const { result, error } = await engine.run({
    ...{ kind: 'swap', told: true, face: join(root, 'resources/sample/ellen-ochoa.jpg'), video, dir },
  })
  clearInterval(timer)
  await engine.end()
  if (error) throw new Error(JSON.stringify(error))
  const tenths = Array.from({ length: 10 }, (_, part) => {
    const some = pss.slice(Math.floor((part * pss.length) / 10), Math.floor(((part + 1) * pss.length) / 10))
    return Math.round(Math.max(0, ...some))
  })
  const scratch = Number((Math.max(disk, sizeOf(dir)) / result.sizeBytes).toFixed(2))
  return { seconds, frames: result.frames, pssMB: Math.round(Math.max(...pss)), tenths, scratchToOutput: scratch }
}

try {
  const sample = join(root, 'resources/sample/astronaut-clip.mp4')
  ffmpeg(['-i', sample, '-vf', 'scale=640:360', '-c:a', 'copy', join(work, 'small.mp4')])
  const main = await buildEngineMain(join(work, 'main'))
  const clips = []
  for (const seconds of lengths) {
    const clip = await measure(main, seconds)
    clips.push(clip)
    if (!quiet) process.stdout.write(`${JSON.stringify(clip)}\n`)
  }
  const [short, long] = clips
  const memory = Number(((long?.pssMB ?? Infinity) / (short?.pssMB ?? 1)).toFixed(3))
  const disk = long?.scratchToOutput ?? Infinity
  const pass = memory <= max.memory && disk <= max.disk
  process.stdout.write(`${JSON.stringify({ clips, memory, disk, max, pass })}\n`)
  if (!pass) process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}
