/**
 * @file Whether memory and disk stay bounded whatever the length: a clip of ten seconds and one of ten minutes (the sample
 * at 360p, looped), each swapped by a process of its own. Memory is the highest PSS of the whole process tree; disk the
 * most that the job's folder held, the output included, in outputs. `--seconds N` (600) of the long clip. Then swaps by a
 * model of inswapper's size, whose file may be read once only; `--only model` leaves out the clips.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sample } from '../fixtures/clip.ts'
import { buildEngineMain, EngineProcess } from './lib/engine-process.mjs'
import { hasOption, numberOf, report, round, run, say, workFolder } from './lib/harness.mjs'
import { measureModelMemory } from './lib/model-memory.mjs'
import { pssOf } from './lib/process-tree.mjs'

const lengths = [10, numberOf('--seconds', 600)]
const withClips = !hasOption('--only')
/**
 * What may be: the long clip's memory in the short one's, and a folder in its output; the app's memory by the large model
 * in MB, which a second copy of it would exceed.
 */
const max = { memory: 1.1, disk: 2, modelMB: 2700 }
const work = workFolder('memory')
const ffmpeg = (/** @type {string[]} */ ...args) => run('ffmpeg', '-v', 'error', ...args)

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
  ffmpeg('-stream_loop', '-1', '-i', join(work, 'small.mp4'), '-t', String(seconds), '-c', 'copy', video)
  const engine = await EngineProcess.start(main)
  /** MiB, by second. @type {number[]} */
  const pss = []
  let disk = 0
  engine.onProgress = () => {
    disk = Math.max(disk, sizeOf(dir))
  }
  const timer = setInterval(() => pss.push(pssOf(engine.pid).mb), 1000)
  const { result } = await engine.ask({ kind: 'swap', told: true, face: sample.face, video, dir })
  clearInterval(timer)
  await engine.end()
  const tenths = Array.from({ length: 10 }, (_, part) => {
    const some = pss.slice(Math.floor((part * pss.length) / 10), Math.floor(((part + 1) * pss.length) / 10))
    return Math.round(Math.max(0, ...some))
  })
  const scratch = round(Math.max(disk, sizeOf(dir)) / result.sizeBytes, 2)
  return { seconds, frames: result.frames, pssMB: Math.round(Math.max(...pss)), tenths, scratchToOutput: scratch }
}

if (withClips) ffmpeg('-i', sample.video, '-vf', 'scale=640:360', '-c:a', 'copy', join(work, 'small.mp4'))
const main = await buildEngineMain(join(work, 'main'))
const clips = []
for (const seconds of withClips ? lengths : []) {
  const clip = await measure(main, seconds)
  clips.push(clip)
  say(JSON.stringify(clip))
}
const [short, long] = clips
const memory = round((long?.pssMB ?? 1) / (short?.pssMB ?? 1), 3)
const disk = long?.scratchToOutput ?? 0
const model = await measureModelMemory(main, join(work, 'model'))
const { first, second, resumed } = model.loads
const isLoadedOnce = first === 1 && second === 0 && resumed === 1
const isModelBounded = Math.max(model.firstPeak, model.secondPeak) <= max.modelMB
report({ clips, memory, disk, model, max }, memory <= max.memory && disk <= max.disk && isLoadedOnce && isModelBounded)
