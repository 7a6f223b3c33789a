/**
 * @file How much longer a swap takes than the same clip only decoded and encoded, measured alternately in one run, at 720p
 * (the sample) and other sizes (the same, scaled by ffmpeg where there is one), and a clip of 8 s from the request on in a
 * fresh process, with the time to its first still. Times are medians; memory is the highest PSS of the whole process tree
 * during the swaps; processor time and page faults are that tree's.
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { buildEngineMain, EngineProcess } from './lib/engine-process.mjs'
import { hasOption, report, root, round, say, workFolder } from './lib/harness.mjs'
import { sample } from '../fixtures/clip.ts'
import { writeLargeSwapper } from './lib/large-model.ts'
import { measureModel } from './lib/model-speed.mjs'
import { cpuOf, faultMicroseconds, faultsOf, pssOf } from './lib/process-tree.mjs'
import { median } from './quality/numbers.mjs'

/** How many times as long as the codec alone, median of runs on a quiet machine. @type {Record<string, number>} */
const max = { '360p': 3.8, '720p': 2, cold: 3.2 }
/** `--short`: 360p and 720p alone, with fewer turns. */
const isShort = hasOption('--short')
/** `--only model` leaves out the clips. */
const withClips = !hasOption('--only')
const work = workFolder('bench')
const made = join(root, '.cache/bench-engine')

/** @returns {Promise<string>} the process's main */
async function buildBench() {
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { '@shared': join(root, 'src/shared') } },
    root: join(import.meta.dirname, 'codec-page'),
    base: './',
    build: { outDir: join(made, 'page'), emptyOutDir: true, target: 'chrome140' },
  })
  return buildEngineMain(join(made, 'main'))
}

/**
 * The sample in another size or length; null where there is no ffmpeg.
 * @param {string} name @param {string[]} options of the output @param {string[]} [input] options of the input
 */
function clip(name, options, input = []) {
  const path = join(work, `${name}.mp4`)
  const made = spawnSync('ffmpeg', ['-v', 'error', ...input, '-i', sample.video, ...options, '-c:a', 'copy', path])
  return made.status === 0 ? path : null
}

/** A step in an empty folder: a swap goes on where the folder's last one ended. @param {EngineProcess} engine @param {object} step */
function ask(engine, step) {
  const dir = join(work, 'job')
  rmSync(dir, { recursive: true, force: true })
  return engine.ask({ dir, ...step })
}

/** @param {EngineProcess} engine @param {string} name @param {string} video */
async function measure(engine, name, video, rounds = isShort ? 3 : 5) {
  const codec = []
  const swaps = []
  const cpu = []
  const ratios = []
  const faults = { codec: 0, swap: 0 }
  let pssMB = 0
  /** @type {Record<string, number>} */
  let stages = {}
  let frames = 1
  for (let turn = 0; turn <= rounds; turn += 1) {
    const start = faultsOf(engine.pid)
    const alone = await ask(engine, { kind: 'codec', video })
    const [before, between] = [cpuOf(engine.pid), faultsOf(engine.pid)]
    const { result } = await ask(engine, { kind: 'swap', face: sample.face, video })
    frames = result.frames
    // The first turn warms up.
    if (turn === 0) continue
    codec.push(alone.result.ms)
    swaps.push(result.elapsedMs)
    ratios.push(result.elapsedMs / alone.result.ms)
    cpu.push(((cpuOf(engine.pid) - before) * 1000) / frames)
    stages = result.stages
    Object.assign(faults, { codec: between - start, swap: faultsOf(engine.pid) - between })
    say(`${name}: codec alone ${round(alone.result.ms, 1)} ms, swap ${result.elapsedMs} ms`)
  }
  // Apart from what is timed: reading it takes a core for 50 ms each time.
  const timer = setInterval(() => (pssMB = Math.max(pssMB, pssOf(engine.pid).mb)), 300)
  await ask(engine, { kind: 'swap', face: sample.face, video })
  clearInterval(timer)
  const perFrame = Object.entries(stages).map(([stage, ms]) => [stage, round(ms / frames, 3)])
  return {
    name,
    codecFps: round((frames * 1000) / median(codec), 1),
    swapFps: round((frames * 1000) / median(swaps), 1),
    ratio: round(median(ratios), 2),
    cpuMsPerFrame: round(median(cpu), 1),
    pssMB: Math.round(pssMB),
    faultsPerFrame: { codec: Math.round(faults.codec / frames), swap: Math.round(faults.swap / frames) },
    stages: Object.fromEntries(perFrame),
  }
}

/**
 * From the request to the first still and to the end, in a fresh process each time: the window is opened and the models
 * are loaded within.
 * @param {string} main @param {string} video @param {number} codecMs
 */
async function measureCold(main, video, codecMs) {
  const looks = []
  const times = []
  for (let turn = 0; turn < 3; turn += 1) {
    const engine = await EngineProcess.start(main)
    const dir = join(work, `cold-${turn}`)
    const started = performance.now()
    let look = NaN
    engine.onProgress = ({ previewFrame }) => {
      if (previewFrame !== null && Number.isNaN(look)) look = performance.now() - started
    }
    await engine.ask({ kind: 'swap', face: sample.face, video, dir, told: true })
    times.push(performance.now() - started)
    looks.push(look)
    say(`cold: first look after ${round(look, 1)} ms, done after ${round(times.at(-1) ?? 0, 1)} ms`)
    await engine.end()
    rmSync(dir, { recursive: true, force: true })
  }
  return {
    codecMs: round(codecMs, 1),
    firstLookMs: round(median(looks), 1),
    swapMs: round(median(times), 1),
    ratio: round(median(times) / codecMs, 2),
  }
}

/** Milliseconds of a clip only decoded and encoded. @param {EngineProcess} engine @param {string} video */
async function codecAlone(engine, video) {
  const times = []
  for (let turn = 0; turn < 4; turn += 1) times.push((await ask(engine, { kind: 'codec', video })).result.ms)
  return median(times.slice(1))
}

/** @param {Partial<Awaited<ReturnType<typeof measureClips>>>} measured */
const isWithin = ({ clips = [], cold = null }) =>
  clips.every(({ name, ratio }) => ratio <= (max[name] ?? Infinity)) && (cold?.ratio ?? 0) <= (max['cold'] ?? Infinity)

/** @param {EngineProcess} engine @param {string} main */
async function measureClips(engine, main) {
  const clips = []
  const small = clip('360p', ['-vf', 'scale=640:360'])
  if (small) clips.push(await measure(engine, '360p', small))
  else say('There is no ffmpeg to make clips of other sizes with; only 720p is measured.')
  clips.push(await measure(engine, '720p', sample.video))
  if (isShort) return { clips, cold: null }
  const large = clip('1080p', ['-vf', 'scale=1920:1080', '-frames:v', '100'])
  if (large) clips.push(await measure(engine, '1080p', large, 3))
  const largest = clip('4k', ['-vf', 'scale=3840:2160', '-frames:v', '40', '-preset', 'veryfast'])
  if (largest) clips.push(await measure(engine, '4K', largest, 2))
  const eight = clip('eight', ['-t', '8'], ['-stream_loop', '1'])
  const cold = eight === null ? null : await measureCold(main, eight, await codecAlone(engine, eight))
  return { clips, cold }
}

const main = await buildBench()
const engine = await EngineProcess.start(main, { MIEN_BENCH_PAGE: join(made, 'page') })
try {
  const measured = withClips ? await measureClips(engine, main) : {}
  const large = join(work, 'large.onnx')
  if (!isShort) writeLargeSwapper(large)
  const model = isShort ? null : await measureModel((step) => ask(engine, step), large)
  report({ ...measured, model, faultMicroseconds: round(faultMicroseconds(), 2), max }, isWithin(measured))
} finally {
  await engine.end()
}
