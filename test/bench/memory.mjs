/**
 * @file Whether memory and disk stay bounded whatever the length: a clip of ten seconds and one of ten minutes (the sample
 * at 360p, looped), each swapped by a process of its own. Memory is the highest PSS of the whole process tree; disk the
 * most that the job's folder held, the output included, in outputs. `--seconds N` (600) of the long clip. Then swaps by a
 * model of inswapper's size, whose file may be read once only; `--only model` leaves out the clips.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outDir } from '../../scripts/build.mjs'
import { buildEngineMain, EngineProcess } from './engine-process.mjs'
import { measureModelMemory } from './model-memory.mjs'
import { pssOf } from './process-tree.mjs'
import { report } from './report.mjs'

const root = join(import.meta.dirname, '../..')
const at = process.argv.indexOf('--seconds')
const lengths = [10, at < 0 ? 600 : Number(process.argv[at + 1])]
const withClips = !process.argv.includes('--only')
/**
 * What may be: the long clip's memory in the short one's, and a folder in its output; the app's memory by the large model
 * in MB, which a second copy of it would exceed.
 */
const max = { memory: 1.1, disk: 2, modelMB: 2700 }
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
  if (withClips) ffmpeg(['-i', sample, '-vf', 'scale=640:360', '-c:a', 'copy', join(work, 'small.mp4')])
  const main = await buildEngineMain(join(work, 'main'))
  const clips = []
  for (const seconds of withClips ? lengths : []) {
    const clip = await measure(main, seconds)
    clips.push(clip)
    if (!quiet) process.stdout.write(`${JSON.stringify(clip)}\n`)
  }
  const [short, long] = clips
  const memory = Number(((long?.pssMB ?? 1) / (short?.pssMB ?? 1)).toFixed(3))
  const disk = long?.scratchToOutput ?? 0
  const model = await measureModelMemory(main, join(work, 'model'), (line) => {
    if (!quiet) process.stdout.write(`${line}\n`)
  })
  const { first, second, resumed } = model.loads
  const isLoadedOnce = first === 1 && second === 0 && resumed === 1
  const isModelBounded = Math.max(model.firstPeak, model.secondPeak) <= max.modelMB
  const pass = memory <= max.memory && disk <= max.disk && isLoadedOnce && isModelBounded
  report({ clips, memory, disk, model, max }, pass)
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}
