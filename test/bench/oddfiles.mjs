/**
 * @file Reads odd pictures and swaps odd videos: a picture's face is cut out upright and in its colours, a video comes out
 * with its own frames, times, colours and audio, or each is refused with a code; none hangs, none takes the engine along.
 * `--only TEXT` runs those whose name has it, `--short` a thirteenth of all.
 */
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outDir } from '../../scripts/build.mjs'
import { defaultOptions } from '../../src/shared/options/default-options.ts'
import { buildEngineMain, EngineProcess } from './engine-process.mjs'
import { makeLarge, makeOdd, makePlain, oddities } from './odd-clips.mjs'
import { differences, wrongOf, wrongOfTarget } from './odd-judge.mjs'
import { oddMatrix } from './odd-matrix.mjs'
import { judgePicture, makeOddPicture, oddPictures, pixelsOf } from './odd-pictures.mjs'
import { makeOddTarget, oddTargets } from './odd-targets.mjs'
import { report } from './report.mjs'

const limitMs = 90_000
const root = join(import.meta.dirname, '../..')
const built = process.env['MIEN_OUT'] ?? outDir
const quiet = process.argv.includes('--json')
const only = process.argv.includes('--only') ? (process.argv[process.argv.indexOf('--only') + 1] ?? '') : ''
const say = (/** @type {string} */ line) => void (quiet || process.stdout.write(`${line}\n`))
const isShort = process.argv.includes('--short')
/** A prime, so that a short form has something of every codec, container and fault. */
const everyShort = 13
const chosen = (/** @type {{ name: string }} */ { name }, /** @type {number} */ at) =>
  isShort ? at % everyShort === 0 : name.includes(only)
const videos = [...oddities, ...oddMatrix].filter(chosen)
const pictures = oddPictures.filter(chosen)
const targets = oddTargets.filter(chosen)
const work = mkdtempSync(join(tmpdir(), 'mien-odd-'))
const plain = join(work, 'plain.mp4')
const face = join(root, 'resources/sample/ellen-ochoa.jpg')
const sample = join(root, 'resources/sample/astronaut-clip.mp4')

/** @param {Promise<any>} answer @param {number} limit */
async function inTime(answer, limit) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, limit, 'late')
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

const counts = { works: 0, refused: 0, wrong: 0, notMade: 0 }
/** @type {{ name: string, what: string }[]} */
const wrong = []
/** What is running. @type {{ engine: EngineProcess | null }} */
const now = { engine: null }
let main = ''
const dir = join(work, 'job')

async function startEngine() {
  const engine = new EngineProcess(main, built)
  await engine.next()
  return engine
}

/**
 * An answer of the engine, in an empty folder unless it is to go on. Hanging, or gone, it is thrown away.
 * @param {object} step
 * @param {{ keep?: boolean, limit?: number, onProgress?: EngineProcess['onProgress'] }} [options]
 */
async function ask(step, { keep = false, limit = limitMs, onProgress = () => undefined } = {}) {
  now.engine ??= await startEngine()
  now.engine.onProgress = onProgress
  if (!keep) rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  const answer = await inTime(now.engine.run({ ...step, dir }), limit)
  if (answer !== 'late' && answer !== null) return { answer, what: '' }
  now.engine.kill()
  now.engine = null
  return { answer: null, what: answer ? 'hangs' : 'took the engine along' }
}

/** @param {string} name @param {any} answer @param {string} what is wrong with it */
function note(name, answer, what) {
  const code = answer?.error?.code ?? null
  if (what) wrong.push({ name, what })
  counts[what ? 'wrong' : code ? 'refused' : 'works'] += 1
  const damaged = answer?.result?.quality?.filter((/** @type {any} */ run) => run.kind === 'damaged') ?? []
  const more = damaged.length > 0 ? `, ${JSON.stringify(damaged)}` : ''
  say(`${what ? 'WRONG' : code ? 'refused' : 'works'}: ${name}${code ? ` (${String(code)})` : ''}${more} ${what}`)
}

/** @param {import('./odd-clips.mjs').Odd} one @param {string} input */
async function playVideo(one, input) {
  const { answer, what } = await ask({
    kind: 'swap',
    face,
    video: input,
    options: { ...defaultOptions, ...one.options },
  })
  note(one.name, answer, answer ? await wrongOf(one, input, answer, join(dir, 'output.mp4')) : what)
}

/** @param {import('./odd-targets.mjs').OddTarget} one @param {string} input */
async function playTarget(one, input) {
  const { answer, what } = await ask({
    kind: 'swap',
    face,
    video: input,
    options: { ...defaultOptions, ...one.options },
  })
  const draw = async (/** @type {string} */ path, /** @type {object} */ squares) => {
    const { answer: drawn } = await ask({ kind: 'draw', face: path, squares }, { keep: true })
    return Buffer.from(drawn?.result ?? '', 'base64')
  }
  note(one.name, answer, answer ? await wrongOfTarget(one, input, answer, dir, draw) : what)
}

/** Changes a file, and takes its drive away, in the middle of a swap; then the drive comes back. */
async function disturb() {
  const [drive, away] = [join(work, 'drive'), join(work, 'away')]
  mkdirSync(drive)
  const video = join(drive, 'large.mp4')
  if (!makeLarge(sample, video)) throw new Error('The large clip could not be made.')
  /** @param {() => void} what once the first segment is saved */
  const during = (what) => {
    let done = false
    return (/** @type {import('../../src/shared/engine/engine.ts').EngineProgress} */ { savedMs }) => {
      if (!done && savedMs > 0) what()
      done ||= savedMs > 0
    }
  }
  const swap = { kind: 'swap', face, video, told: true }
  const gone = await ask(swap, { limit: 4 * limitMs, onProgress: during(() => renameSync(drive, away)) })
  const code = gone.answer?.error?.code
  note('a drive that goes away', gone.answer, code === 'file-unreachable' ? '' : `says ${String(code)}`)
  renameSync(away, drive)
  const back = await ask(swap, { keep: true, limit: 4 * limitMs })
  const { result } = back.answer ?? {}
  const what = result ? await differences({}, video, join(dir, 'output.mp4')) : [back.what || 'fails']
  if (result && !(result.stages.keptFrames > 0)) what.push('begins anew')
  note('a drive that is back', back.answer, what.join(', '))
  const changed = await ask(swap, { limit: 4 * limitMs, onProgress: during(() => appendFileSync(video, 'more')) })
  const said = changed.answer?.error?.code
  note('a file that changes meanwhile', changed.answer, said === 'file-changed' ? '' : `says ${String(said)}`)
}

try {
  if (!makePlain(sample, plain)) throw new Error('There is no ffmpeg.')
  main = await buildEngineMain(join(work, 'main'))
  await ask({ kind: 'face', face })
  const cut = join(dir, 'face.jpg')
  const expected = pixelsOf(cut)
  for (const one of pictures) {
    const input = makeOddPicture(one, work, face)
    if (!input) counts.notMade += 1
    else {
      const { answer, what } = await ask({ kind: 'face', face: input })
      note(one.name, answer, answer ? judgePicture(one, answer, cut, expected) : what)
      rmSync(input, { force: true })
    }
  }
  for (const one of videos) {
    const input = makeOdd(one, work, plain)
    if (!input) counts.notMade += 1
    else {
      await playVideo(one, input)
      rmSync(input, { force: true })
    }
  }
  for (const one of targets) {
    const input = makeOddTarget(one, work, plain)
    if (!input) counts.notMade += 1
    else await playTarget(one, input)
  }
  if (!isShort && 'drive'.includes(only)) await disturb()
  report(
    { pictures: pictures.length, targets: targets.length, videos: videos.length, ...counts, wrongOnes: wrong },
    wrong.length === 0,
  )
} finally {
  now.engine?.kill()
  rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}
