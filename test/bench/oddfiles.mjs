/**
 * @file Reads odd pictures and swaps odd videos: a picture's face is cut out upright and in its colours, a video comes out
 * with its own frames, times and audio, or each is refused with a code; none hangs, none takes the engine along. `--only
 * TEXT` runs those whose name has it.
 */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outDir } from '../../scripts/build.mjs'
import { buildEngineMain, EngineProcess } from './engine-process.mjs'
import { decodedSound, packetsOf, readSound } from './media-facts.mjs'
import { makeLarge, makeOdd, makePlain, oddities } from './odd-clips.mjs'
import { judgePicture, makeOddPicture, oddPictures, pixelsOf } from './odd-pictures.mjs'
import { report } from './report.mjs'

const limitMs = 90_000
/** Seconds. Containers tell the 6.5 ms of silence before an Opus track differently, and Matroska in whole milliseconds. */
const audioSlack = 0.0076
const root = join(import.meta.dirname, '../..')
const built = process.env['MIEN_OUT'] ?? outDir
const quiet = process.argv.includes('--json')
const only = process.argv.includes('--only') ? (process.argv[process.argv.indexOf('--only') + 1] ?? '') : ''
const say = (/** @type {string} */ line) => void (quiet || process.stdout.write(`${line}\n`))
const work = mkdtempSync(join(tmpdir(), 'mien-odd-'))
const plain = join(work, 'plain.mp4')
const face = join(root, 'resources/sample/ellen-ochoa.jpg')
const sample = join(root, 'resources/sample/astronaut-clip.mp4')

const near = (/** @type {number[]} */ a, /** @type {number[]} */ b, /** @type {number} */ slack) =>
  a.length === b.length && a.every((time, index) => Math.abs(time - (b[index] ?? NaN)) <= slack)

/**
 * What of the result is not as in the input.
 * @param {string} input @param {string} output @param {import('./odd-clips.mjs').Odd['sound']} sound
 */
async function differences(input, output, sound) {
  const [from, to] = [packetsOf(input), packetsOf(output)]
  const found = []
  if (from.video.length !== to.video.length)
    found.push(`frames ${String(from.video.length)} → ${String(to.video.length)}`)
  else if (!near(from.video, to.video, 0.0011)) {
    const at = from.video.findIndex((time, index) => Math.abs(time - (to.video[index] ?? NaN)) > 0.0011)
    found.push(`time of frame ${String(at)}: ${String(from.video[at])} → ${String(to.video[at])}`)
  }
  if (sound === 'none' && to.audio.size > 0) found.push('sound that was not expected')
  if (sound === 'decoded' && decodedSound(input) !== decodedSound(output)) found.push('other sound')
  if (sound === 'read' && (await readSound(input)) !== (await readSound(output))) found.push('other sound')
  const [before, after] = sound ? [[], []] : [[...from.audio.values()], [...to.audio.values()]]
  if (before.length !== after.length) found.push(`audio tracks ${String(before.length)} → ${String(after.length)}`)
  for (const [index, track] of before.entries()) {
    const copy = after[index]
    if (!copy) continue
    const [a, b] = [track, copy].map((one) => one.sizes.reduce((sum, size) => sum + size, 0))
    if (a !== b) found.push(`audio ${String(index)}: ${String(a)} → ${String(b)} bytes`)
    else if (Math.abs((track.times[0] ?? 0) - (copy.times[0] ?? 0)) > audioSlack)
      found.push(`audio ${String(index)} starts ${String(track.times[0])} → ${String(copy.times[0])}`)
  }
  const tags = ['color_space', 'color_transfer', 'color_primaries', 'color_range']
  const [one, two] = [from, to].map(({ streams }) => streams.find((stream) => stream.codec_type === 'video'))
  for (const tag of tags) {
    const told = one?.[tag]
    if (
      told &&
      told !== 'unknown' &&
      told !== 'unspecified' &&
      two?.[tag] !== told &&
      !(tag === 'color_range' && told === 'tv')
    )
      found.push(`${tag} ${String(told)} → ${String(two?.[tag])}`)
  }
  const isTold = (/** @type {any} */ stream) => ![undefined, 'unknown', 'unspecified'].includes(stream?.color_space)
  if (isTold(two) && !isTold(one)) found.push(`color_space told: ${String(two?.color_space)}`)
  const [shape, kept] = [aspectOf(one), aspectOf(two)]
  if (Math.abs(shape / kept - 1) > 0.006) found.push(`aspect ${shape.toFixed(3)} → ${kept.toFixed(3)}`)
  return found
}

/** A pixel's width to its height. @param {any} stream */
function aspectOf(stream) {
  const [width = 1, height = 1] = String(stream?.sample_aspect_ratio ?? '1:1')
    .split(':')
    .map(Number)
  return width > 0 && height > 0 ? width / height : 1
}

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
  const asked = await ask({ kind: 'swap', face, video: input })
  const { answer } = asked
  const output = join(dir, 'output.mp4')
  const code = answer?.error?.code ?? null
  const lost = answer?.result?.lostSound?.length ?? 0
  let { what } = asked
  if (code !== null) {
    const told = Object.entries(one.details ?? {}).every(([key, value]) => answer.error.details[key] === value)
    if (!one.codes?.includes(code) || !told) what = `refused: ${JSON.stringify(answer.error)}`
    else if (existsSync(output) && code === 'engine-failed') what = 'left an output'
  } else if (answer && one.codes) what = 'was not refused'
  else if (answer && (one.sound === 'none') !== lost > 0) what = `says that ${String(lost)} sounds are lost`
  else if (answer && !one.mayDiffer) what = (await differences(input, output, one.sound)).join(', ')
  note(one.name, answer, what)
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
  const what = result ? await differences(video, join(dir, 'output.mp4'), undefined) : [back.what || 'fails']
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
  for (const one of oddPictures.filter(({ name }) => name.includes(only))) {
    const input = makeOddPicture(one, work, face)
    if (!input) counts.notMade += 1
    else {
      const { answer, what } = await ask({ kind: 'face', face: input })
      note(one.name, answer, answer ? judgePicture(one, answer, cut, expected) : what)
      rmSync(input, { force: true })
    }
  }
  for (const one of oddities.filter(({ name }) => name.includes(only))) {
    const input = makeOdd(one, work, plain)
    if (!input) counts.notMade += 1
    else {
      await playVideo(one, input)
      rmSync(input, { force: true })
    }
  }
  if ('drive'.includes(only)) await disturb()
  report({ pictures: oddPictures.length, videos: oddities.length, ...counts, wrongOnes: wrong }, wrong.length === 0)
} finally {
  now.engine?.kill()
  rmSync(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}
