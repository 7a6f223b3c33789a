/**
 * @file Kills a render at random instants (the engine's process, the whole app, the disk full), goes on, and compares what
 * comes out in the end with an undisturbed run: every frame's time and picture, every audio packet. `--kills N` (100),
 * `--seconds N` of video (48), `--minutes N` after which no further kill is begun, `--seed S`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outDir } from '../../scripts/build.mjs'
import { buildEngineMain, EngineProcess } from './engine-process.mjs'
import { facts } from './media-facts.mjs'

const root = join(import.meta.dirname, '../..')
const option = (/** @type {string} */ name, /** @type {number} */ otherwise) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}
let wanted = option('kills', 100)
const until = Date.now() + option('minutes', 60) * 60_000
const seconds = option('seconds', 48)
const built = process.env['MIEN_OUT'] ?? outDir
const quiet = process.argv.includes('--json')
const say = (/** @type {string} */ line) => void (quiet || process.stdout.write(`${line}\n`))

/** Mulberry32. @param {number} seed */
function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}

const seed = option('seed', 5)
const random = randomFrom(seed)
const work = mkdtempSync(join(tmpdir(), 'mien-kills-'))
const face = join(root, 'resources/sample/mona-lisa.jpg')
const video = join(work, 'clip.mp4')
const ways = /** @type {const} */ (['engine', 'app', 'disk'])

/** From now on nothing more fits: whatever is written next ends at a device that is always full. @param {string} dir */
function fillDisk(dir) {
  for (let index = 0; index < 40; index += 1) {
    const path = join(dir, `segment-${String(index).padStart(4, '0')}.${index % 2 ? 'bin' : 'json'}.part`)
    if (!existsSync(path)) symlinkSync('/dev/full', path)
  }
}

/** @param {string} dir */
function freeDisk(dir) {
  for (const name of readdirSync(dir)) if (name.endsWith('.part')) rmSync(join(dir, name), { force: true })
}

/** @param {string} dir */
const sizeOf = (dir) => readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)

class Runner {
  /** @param {string} main */
  constructor(main) {
    this.main = main
    /** @type {EngineProcess | null} */
    this.engine = null
  }

  /** @param {object} step @param {(progress: any, engine: EngineProcess) => void} [onProgress] */
  async swap(step, onProgress = () => undefined) {
    if (!this.engine) {
      this.engine = new EngineProcess(this.main, built)
      await this.engine.next()
    }
    const { engine } = this
    engine.onProgress = (progress) => {
      onProgress(progress, engine)
    }
    const answer = await engine.run({ kind: 'swap', face, video, told: true, ...step })
    if (answer === null) this.engine = null
    return answer
  }

  end() {
    this.engine?.kill()
  }
}

/** One interruption. @param {Runner} runner @param {string} dir @param {typeof ways[number]} way @param {number} afterMs */
async function disturb(runner, dir, way, afterMs) {
  let timer
  let saved = 0
  const begun = { yes: false }
  const answer = await runner.swap(
    { dir, ...(way === 'engine' ? { crashAfterMs: afterMs } : {}) },
    (progress, engine) => {
      saved = progress.savedMs
      if (begun.yes || way === 'engine' || progress.stage !== 'swapping') return
      begun.yes = true
      timer = setTimeout(() => {
        if (way === 'app') engine.kill()
        else fillDisk(dir)
      }, afterMs)
    },
  )
  clearTimeout(timer)
  freeDisk(dir)
  return { answer, saved }
}

/** @param {{ text: { frames: string[], audio: string[] }, of: { frames: string[], audio: string[] } }} pair */
function differences({ text, of }) {
  const differ = (/** @type {string[]} */ a, /** @type {string[]} */ b) =>
    a.length !== b.length ? Math.abs(a.length - b.length) || 1 : a.filter((line, index) => line !== b[index]).length
  return { frames: differ(text.frames, of.frames), audio: differ(text.audio, of.audio) }
}

const loops = String(Math.max(0, Math.ceil(seconds / 6) - 1))
const clip = ['-stream_loop', loops, '-i', join(root, 'resources/sample/astronaut-clip.mp4'), '-vf', 'scale=640:360']
spawnSync('ffmpeg', ['-v', 'error', ...clip, '-c:a', 'copy', video], { stdio: 'inherit' })
const runner = new Runner(await buildEngineMain(join(work, 'main')))
const counts = { engine: 0, app: 0, disk: 0 }
/** @type {{ run: number, frames: number, audio: number }[]} */
const unequal = []
let kills = 0
let resumed = 0
let runs = 0
let scratchMost = 0
let failed = 0
try {
  const calm = join(work, 'calm')
  mkdirSync(calm)
  const undisturbed = await runner.swap({ dir: calm })
  if (!undisturbed?.result) throw new Error(JSON.stringify(undisturbed))
  const expected = facts(join(calm, 'output.mp4'))
  const size = statSync(join(calm, 'output.mp4')).size
  const paceMs = undisturbed.result.stages.work
  while (kills < wanted) {
    const dir = join(work, `run-${String(runs)}`)
    mkdirSync(dir)
    let answer = null
    let idle = 0
    while (!answer?.result && idle < 12) {
      const way = kills < wanted ? (ways[Math.floor(random() * 3)] ?? 'app') : null
      const step = way ? await disturb(runner, dir, way, random() * paceMs * 0.8) : null
      answer = step ? step.answer : await runner.swap({ dir })
      scratchMost = Math.max(scratchMost, sizeOf(dir) / size)
      if (answer?.result) {
        if ((answer.result.stages.keptFrames ?? 0) > 0) resumed += 1
        break
      }
      if (!way) idle += 12
      else {
        kills += 1
        if (Date.now() > until) wanted = kills
        counts[way] += 1
        idle += 1
        const code = answer?.error?.code ?? 'killed'
        say(`kill ${String(kills)}: ${way}, ${code}, ${String(step?.saved ?? 0)} ms of the video saved`)
        if (answer?.error && !['engine-crashed', 'disk-full'].includes(code)) failed += 1
      }
    }
    if (!answer?.result) answer = await runner.swap({ dir })
    if (!answer?.result) failed += 1
    else {
      const found = differences({ text: facts(join(dir, 'output.mp4')), of: expected })
      if (found.frames + found.audio > 0) unequal.push({ run: runs, ...found })
      say(`run ${String(runs)} ended: ${JSON.stringify(found)} different`)
    }
    runs += 1
    rmSync(dir, { recursive: true, force: true })
  }
  const result = {
    ...{ seed, kills, counts, runs, resumed, failed, unequal, frames: expected.frames.length },
    ...{ audioPackets: expected.audio.length, scratchToOutput: Number(scratchMost.toFixed(2)) },
  }
  process.stdout.write(`${JSON.stringify(result)}\n`)
  if (failed + unequal.length > 0) process.exitCode = 1
} finally {
  runner.end()
  rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}
