/**
 * @file How much longer a swap takes than the same clip only decoded and encoded, measured alternately in one run, at 720p
 * (the sample) and other sizes (the same, scaled by ffmpeg where there is one), and a clip of 8 s from the request on in a
 * fresh process, with the time to its first still. Times are medians; memory is the highest PSS of the whole process tree
 * during the swaps; processor time is that tree's.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'vite'
import { electronFlags } from '../../scripts/lib/app.mjs'
import { outDir } from '../../scripts/build.mjs'
import { EngineProcess } from './engine-process.mjs'
import { writeLargeSwapper } from '../fixtures/large-model.ts'
import { measureModel } from './model-speed.mjs'
import { cpuOf, pssOf } from './process-tree.mjs'
import { report } from './report.mjs'

const root = join(import.meta.dirname, '../..')
const quiet = process.argv.includes('--json')
/** How many times as long as the codec alone, median of runs on a quiet machine. @type {Record<string, number>} */
const max = { '360p': 4, '720p': 2.1, cold: 3.3 }
/** `--short`: 360p and 720p alone, with fewer turns. */
const isShort = process.argv.includes('--short')
/** `--only model` leaves out the clips. */
const withClips = !process.argv.includes('--only')
/** @type {(line: string) => void} */
const say = (line) => void (quiet || process.stdout.write(`${line}\n`))
const work = mkdtempSync(join(tmpdir(), 'mien-bench-'))
const sample = join(root, 'resources/sample')
const made = join(root, '.cache/bench-engine')

async function buildBench() {
  const alias = { '@shared': join(root, 'src/shared') }
  const common = {
    configFile: /** @type {const} */ (false),
    logLevel: /** @type {const} */ ('error'),
    resolve: { alias },
  }
  await build({
    ...common,
    root: join(import.meta.dirname, 'codec-page'),
    base: './',
    build: { outDir: join(made, 'page'), emptyOutDir: true, target: 'chrome140' },
  })
  await build({
    ...common,
    root,
    ssr: { noExternal: true, external: ['electron'] },
    build: {
      ssr: join(import.meta.dirname, 'engine-main.ts'),
      outDir: join(made, 'main'),
      emptyOutDir: true,
      rollupOptions: { external: ['electron'], output: { format: 'es', entryFileNames: 'main.mjs' } },
    },
  })
}

/**
 * The sample in another size or length; null where there is no ffmpeg.
 * @param {string} name @param {string[]} options of the output @param {string[]} [input] options of the input
 */
function clip(name, options, input = []) {
  const path = join(work, `${name}.mp4`)
  const from = join(sample, 'astronaut-clip.mp4')
  const made = spawnSync('ffmpeg', ['-v', 'error', ...input, '-i', from, ...options, '-c:a', 'copy', path])
  return made.status === 0 ? path : null
}

class Bench {
  constructor() {
    const env = {
      ...process.env,
      MIEN_BENCH_OUT: outDir,
      MIEN_BENCH_PAGE: join(made, 'page'),
      MIEN_BENCH_MODELS: join(root, 'resources/models'),
    }
    const electron = process.env['MIEN_ELECTRON'] ?? ''
    this.child = spawn(electron, [...electronFlags(), join(made, 'main/main.mjs')], {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.pid = this.child.pid ?? 0
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  async next() {
    const { value } = await this.lines.next()
    if (value === undefined) throw new Error('Electron ended early')
    return JSON.parse(value)
  }

  /** @param {object} step */
  async run(step) {
    const dir = join(work, 'job')
    // A swap goes on where the folder's last one ended; here each is to start anew.
    rmSync(dir, { recursive: true, force: true })
    this.child.stdin.write(`${JSON.stringify({ dir, ...step })}\n`)
    const answer = await this.next()
    if (answer.error) throw new Error(JSON.stringify(answer.error))
    return answer
  }
}

const median = (/** @type {number[]} */ values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const round = (/** @type {number} */ value, digits = 1) => Number(value.toFixed(digits))

/** @param {Bench} bench @param {string} name @param {string} video */
async function measure(bench, name, video, rounds = isShort ? 3 : 5) {
  const face = join(sample, 'ellen-ochoa.jpg')
  const codec = []
  const swaps = []
  const cpu = []
  const ratios = []
  let pssMB = 0
  /** @type {Record<string, number>} */
  let stages = {}
  let frames = 1
  for (let turn = 0; turn <= rounds; turn += 1) {
    const alone = await bench.run({ kind: 'codec', video })
    const before = cpuOf(bench.pid)
    const timer = setInterval(() => (pssMB = Math.max(pssMB, pssOf(bench.pid).mb)), 300)
    const { result } = await bench.run({ kind: 'swap', face, video })
    clearInterval(timer)
    frames = result.frames
    // The first turn warms up.
    if (turn === 0) continue
    codec.push(alone.result.ms)
    swaps.push(result.elapsedMs)
    ratios.push(result.elapsedMs / alone.result.ms)
    cpu.push(((cpuOf(bench.pid) - before) * 1000) / frames)
    stages = result.stages
    say(`${name}: codec alone ${round(alone.result.ms)} ms, swap ${result.elapsedMs} ms`)
  }
  const perFrame = Object.entries(stages).map(([stage, ms]) => [stage, round(ms / frames, 3)])
  return {
    name,
    codecFps: round((frames * 1000) / median(codec)),
    swapFps: round((frames * 1000) / median(swaps)),
    ratio: round(median(ratios), 2),
    cpuMsPerFrame: round(median(cpu)),
    pssMB: Math.round(pssMB),
    stages: Object.fromEntries(perFrame),
  }
}

/**
 * From the request to the first still and to the end, in a fresh process each time: the window is opened and the models
 * are loaded within.
 * @param {string} video @param {number} codecMs
 */
async function measureCold(video, codecMs) {
  const looks = []
  const times = []
  for (let turn = 0; turn < 3; turn += 1) {
    const engine = new EngineProcess(join(made, 'main/main.mjs'), outDir)
    const dir = join(work, `cold-${turn}`)
    await engine.next()
    const started = performance.now()
    let look = NaN
    engine.onProgress = ({ previewFrame }) => {
      if (previewFrame !== null && Number.isNaN(look)) look = performance.now() - started
    }
    const answer = await engine.run({ kind: 'swap', face: join(sample, 'ellen-ochoa.jpg'), video, dir, told: true })
    if (!answer?.result) throw new Error(JSON.stringify(answer?.error ?? 'Electron ended early'))
    times.push(performance.now() - started)
    looks.push(look)
    say(`cold: first look after ${round(look)} ms, done after ${round(times.at(-1) ?? 0)} ms`)
    await engine.end()
    rmSync(dir, { recursive: true, force: true })
  }
  return {
    codecMs: round(codecMs),
    firstLookMs: round(median(looks)),
    swapMs: round(median(times)),
    ratio: round(median(times) / codecMs, 2),
  }
}

/** Milliseconds of a clip only decoded and encoded. @param {Bench} bench @param {string} video */
async function codecAlone(bench, video) {
  const times = []
  for (let turn = 0; turn < 4; turn += 1) times.push((await bench.run({ kind: 'codec', video })).result.ms)
  return median(times.slice(1))
}

/** @param {Partial<Awaited<ReturnType<typeof measureClips>>>} measured */
const isWithin = ({ clips = [], cold = null }) =>
  clips.every(({ name, ratio }) => ratio <= (max[name] ?? Infinity)) && (cold?.ratio ?? 0) <= (max['cold'] ?? Infinity)

/** @param {Bench} bench */
async function measureClips(bench) {
  const clips = []
  const small = clip('360p', ['-vf', 'scale=640:360'])
  if (small) clips.push(await measure(bench, '360p', small))
  else say('There is no ffmpeg to make clips of other sizes with; only 720p is measured.')
  clips.push(await measure(bench, '720p', join(sample, 'astronaut-clip.mp4')))
  if (isShort) return { clips, cold: null }
  const large = clip('1080p', ['-vf', 'scale=1920:1080', '-frames:v', '100'])
  if (large) clips.push(await measure(bench, '1080p', large, 3))
  const largest = clip('4k', ['-vf', 'scale=3840:2160', '-frames:v', '40', '-preset', 'veryfast'])
  if (largest) clips.push(await measure(bench, '4K', largest, 2))
  const eight = clip('eight', ['-t', '8'], ['-stream_loop', '1'])
  const cold = eight === null ? null : await measureCold(eight, await codecAlone(bench, eight))
  return { clips, cold }
}

/** @type {Bench | null} */
let bench = null
try {
  await buildBench()
  bench = new Bench()
  const running = bench
  await bench.next()
  const measured = withClips ? await measureClips(bench) : {}
  const large = join(work, 'large.onnx')
  if (!isShort) writeLargeSwapper(large)
  const model = isShort ? null : await measureModel((step) => running.run(step), large, say)
  await bench.run({ kind: 'end' })
  report({ ...measured, model, max }, isWithin(measured))
} finally {
  bench?.child.kill()
  rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}
