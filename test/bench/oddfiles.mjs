/**
 * @file Reads odd pictures and swaps odd videos: a picture's face is cut out upright and in its colours, a video comes out
 * with its own frames, times, colours and audio, or each is refused with a code; none hangs, none takes the engine along.
 * `--only TEXT` runs those whose name has it, `--short` a thirteenth of all.
 */
import { appendFileSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { defaultOptions } from '../../src/shared/options/default-options.ts'
import { sample } from '../fixtures/clip.ts'
import { buildEngineMain, EngineProcess } from './lib/engine-process.mjs'
import { hasOption, report, say, wordsOf, workFolder } from './lib/harness.mjs'
import { makeLarge, makePlain, oddities } from './odd/clips.mjs'
import { differences, wrongOf, wrongOfTarget } from './odd/judge.mjs'
import { makeFile } from './odd/make.mjs'
import { oddMatrix } from './odd/matrix.mjs'
import { judgePicture, oddPictures, pixelsOf } from './odd/pictures.mjs'
import { oddTargets } from './odd/targets.mjs'

const limitMs = 90_000
const only = wordsOf('--only')[0] ?? ''
const isShort = hasOption('--short')
/** A prime, so that a short form has something of every codec, container and fault. */
const everyShort = 13
const chosen = (/** @type {{ name: string }} */ { name }, /** @type {number} */ at) =>
  isShort ? at % everyShort === 0 : name.includes(only)
const videos = [...oddities, ...oddMatrix].filter(chosen)
const pictures = oddPictures.filter(chosen)
const targets = oddTargets.filter(chosen)
const work = workFolder('odd')
const plain = join(work, 'plain.mp4')
const { face } = sample

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

/**
 * An answer of the engine, in an empty folder unless it is to go on. Hanging, or gone, it is thrown away.
 * @param {object} step
 * @param {{ keep?: boolean, limit?: number, onProgress?: EngineProcess['onProgress'] }} [options]
 */
async function ask(step, { keep = false, limit = limitMs, onProgress = () => undefined } = {}) {
  now.engine ??= await EngineProcess.start(main)
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

/** A picture's squares, as Chromium draws them. @param {string} path @param {object} squares */
async function draw(path, squares) {
  const { answer } = await ask({ kind: 'draw', face: path, squares }, { keep: true })
  return Buffer.from(answer?.result ?? '', 'base64')
}

/**
 * Makes files and judges what the engine answers to each.
 * @template {import('./odd/make.mjs').Made} T
 * @param {readonly T[]} all @param {string} source that they are made from
 * @param {(input: string, one: T) => object} step
 * @param {(one: T, input: string, answer: any) => string | Promise<string>} judge
 */
async function play(all, source, step, judge) {
  for (const one of all) {
    const input = makeFile(one, work, source)
    if (!input) {
      counts.notMade += 1
      continue
    }
    const { answer, what } = await ask(step(input, one))
    note(one.name, answer, answer ? await judge(one, input, answer) : what)
    rmSync(input, { force: true })
  }
}
/** @param {string} video @param {{ options?: object | undefined }} one */
const swapOf = (video, { options }) => ({ kind: 'swap', face, video, options: { ...defaultOptions, ...options } })

/** Changes a file, and takes its drive away, in the middle of a swap; then the drive comes back. */
async function disturb() {
  const [drive, away] = [join(work, 'drive'), join(work, 'away')]
  mkdirSync(drive)
  const video = join(drive, 'large.mp4')
  makeLarge(video)
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
  makePlain(plain)
  main = await buildEngineMain(join(work, 'main'))
  await ask({ kind: 'face', face })
  const cut = join(dir, 'face.jpg')
  const expected = pixelsOf(cut)
  await play(
    pictures,
    face,
    (input) => ({ kind: 'face', face: input }),
    (one, _input, answer) => judgePicture(one, answer, cut, expected),
  )
  await play(videos, plain, swapOf, (one, ...told) => wrongOf(one, ...told, join(dir, 'output.mp4')))
  await play(targets, plain, swapOf, (one, ...told) => wrongOfTarget(one, ...told, dir, draw))
  if (!isShort && 'drive'.includes(only)) await disturb()
  report(
    { pictures: pictures.length, targets: targets.length, videos: videos.length, ...counts, wrongOnes: wrong },
    // What can't be made isn't judged.
    wrong.length + counts.notMade === 0,
  )
} finally {
  now.engine?.kill()
}
