/**
 * @file How much longer a swap takes than the same clip only decoded and encoded, measured alternately in one run, at 720p
 * (the sample) and 360p (the same, made smaller by ffmpeg where there is one). Times are medians; memory is the highest
 * PSS of the whole process tree during the swaps; processor time is that tree's.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'vite'
import { electronFlags } from '../../scripts/lib/app.mjs'
import { outDir } from '../../scripts/build.mjs'
import { pssOf, treeOf } from './process-tree.mjs'

const rounds = 5
const root = join(import.meta.dirname, '../..')
const quiet = process.argv.includes('--json')
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

/** The sample at 640 × 360, or null where nothing here can make it. */
function smallClip() {
  const path = join(work, 'small.mp4')
  const args = ['-v', 'error', '-i', join(sample, 'astronaut-clip.mp4'), '-vf', 'scale=640:360', '-c:a', 'copy', path]
  return spawnSync('ffmpeg', args).status === 0 ? path : null
}

/** Seconds of processor time a tree has used. @param {number} pid */
function cpuOf(pid) {
  let ticks = 0
  for (const member of treeOf(pid)) {
    try {
      const stat = readFileSync(`/proc/${member}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // Ended meanwhile.
    }
  }
  return ticks / 100
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
async function measure(bench, name, video) {
  const face = join(sample, 'mona-lisa.jpg')
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

/** @type {Bench | null} */
let bench = null
try {
  await buildBench()
  bench = new Bench()
  await bench.next()
  const clips = []
  const small = smallClip()
  if (small) clips.push(await measure(bench, '360p', small))
  else say('There is no ffmpeg to make the 360p clip with; only 720p is measured.')
  clips.push(await measure(bench, '720p', join(sample, 'astronaut-clip.mp4')))
  await bench.run({ kind: 'end' })
  process.stdout.write(`${JSON.stringify({ clips })}\n`)
} finally {
  bench?.child.kill()
  rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}
