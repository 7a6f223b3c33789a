/**
 * @file How a swap looks, in numbers, judged by models that the engine does not use (`quality/judges.mjs`), against bounds;
 * then the same with parts of the engine turned off and with spoiled outputs, to see that the gates notice. Needs ffmpeg,
 * and npm once. Most clips are made here, from pictures in the public domain (`quality/scenes`); those of real people are
 * fetched into an ignored folder, and neither they nor a picture made from them may be committed.
 * After `--only`, names of clips: then only those, and controls only if `controls` is among them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sample } from '../fixtures/clip.ts'
import { hasOption, report, root, say, wordsOf } from './lib/harness.mjs'
import { brokenEngines, reader, spoiled } from './quality/controls.mjs'
import { developmentClips } from './quality/dev-clips.mjs'
import { buildEngine, startEngine } from './quality/engine-run.mjs'
import { ffmpeg, framesOf, stillOf } from './quality/frames.mjs'
import { detailsOf, judge, ofFrame } from './quality/gates.mjs'
import { loadJudges, squareOf } from './quality/judges.mjs'
import { ClipRunner, timingKept } from './quality/run-clip.mjs'
import { cleanClips } from './quality/scenes/clean-clips.mjs'
import { makeScenes } from './quality/scenes/make.mjs'
import { Sheet } from './quality/sheet.mjs'

const made = join(root, '.cache/bench-quality')
const only = hasOption('--only') ? wordsOf('--only') : null
const uncontrolled = only !== null && !only.includes('controls')

/** @typedef {import('./quality/run-clip.mjs').Clip} Clip */

/** Frames that show what a swap does outside the face, encoded as finely as the encoder can. */
const outsideFrames = 20
const outsideClips = ['sample', 'blink', 'mic', 'yaw', 'small', 'close', 'night']
/** Decibels. */
const outsideLeast = 45

const faces = { sample: sample.face, astronaut: '', portrait: join(made, 'portrait.png') }

/** @returns {Promise<Clip[]>} */
async function prepareClips() {
  ffmpeg('-i', sample.video, '-vf', "select='eq(n,60)'", '-frames:v', '1', faces.portrait)
  faces.astronaut = join(root, 'test/bench/quality/scenes/astronaut.jpg')
  const usual = ['identityRise', 'identityDistance', 'landmarks', 'blinks', 'gaze', 'jitter', 'seam', 'colour', 'pop']
  const { portraits, make } = await makeScenes(join(made, 'scenes'))
  const needed = cleanClips.filter(({ name }) => !only || only.includes(name) || name === 'bare')
  /** @type {Clip[]} */
  const clips = [
    { name: 'sample', face: faces.sample, video: sample.video, frames: 100, gates: usual, mayBeShown: true },
  ]
  for (const scene of needed) {
    const { path, maskPath } = await make(scene)
    const { name, frames, gates, face = 'sample', bare, cuts, judged, bystander } = scene
    clips.push({
      ...{ name, frames, maskPath, video: path, face: faces[face], mayBeShown: true },
      gates: gates.length > 0 ? [...gates, 'present'] : gates,
      // Blinks are over in three frames; all else goes on for longer.
      each: gates.includes('blinks') ? 1 : 2,
      pose: (index) => scene.pose(portraits, index),
      ...(bare ? { bare } : {}),
      ...(cuts ? { cuts } : {}),
      ...(judged ? { judged } : {}),
      ...(bystander ? { bystander: (/** @type {number} */ index) => bystander(portraits, index) } : {}),
    })
  }
  for (const { face, ...clip } of developmentClips(made)) clips.push({ ...clip, face: faces[face] })
  const wantsBare = clips.some(({ name, bare }) => bare && (!only || only.includes(name)))
  return clips.filter(({ name }) => !only || only.includes(name) || (name === 'bare' && wantsBare))
}

/** The engine that runs now. @type {{ current: import('./lib/engine-process.mjs').EngineProcess | null }} */
const running = { current: null }
/** @param {string} name @param {Parameters<typeof buildEngine>[2]} ablation */
async function withEngine(name, ablation) {
  const built = await buildEngine(made, name, ablation)
  await running.current?.end()
  return (running.current = await startEngine(made, built))
}

/** @param {Clip[]} clips */
async function identitiesOf(clips) {
  const judges = await loadJudges(join(made, 'judges'))
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
  return { judges, sources }
}

/** What is left of the picture outside the face. @param {ClipRunner} runner @param {Clip[]} clips @param {boolean} render */
async function outsideOf(runner, clips, render) {
  const engine = await withEngine(render ? 'fine' : 'fine-untouched', { fine: true, render })
  /** @type {Map<string, number>} */
  const found = new Map()
  for (const clip of clips.filter(({ name }) => outsideClips.includes(name))) {
    const short = join(made, `${clip.name}-short.mp4`)
    ffmpeg('-i', clip.video, '-frames:v', String(outsideFrames), '-c', 'copy', short)
    const output = await runner.swap(engine, { ...clip, video: short }, 'fine-job')
    const { maskPath: _, bare: __, ...plain } = clip
    const { outsideDb } = await runner.look({ ...plain, judged: () => false }, framesOf(output), outsideFrames)
    found.set(clip.name, outsideDb)
  }
  return found
}

/** What the swap itself does outside the face: what encoding untouched pixels leaves is the most that can be had. @param {ClipRunner} runner @param {Clip[]} clips */
async function lookOutside(runner, clips) {
  const untouched = await outsideOf(runner, clips, false)
  const swapped = await outsideOf(runner, clips, true)
  return [...swapped].map(([clip, value]) => {
    const min = Math.min(outsideLeast, (untouched.get(clip) ?? Infinity) - 0.5)
    return {
      clip,
      gate: 'outside',
      value: Number(value.toFixed(2)),
      min: Number(min.toFixed(2)),
      pass: value >= min,
    }
  })
}

/** @param {ClipRunner} runner @param {Clip[]} clips */
async function runControls(runner, clips) {
  const noticed = []
  const named = (/** @type {string} */ name) => clips.find((clip) => clip.name === name)
  for (const { off, clip: name, frames, expected, spoil } of spoiled) {
    const clip = named(name)
    if (!clip) continue
    const outputs = spoil(reader(runner.outputOf(name), frames), reader(clip.video, frames), (other) =>
      framesOf(runner.outputOf(other), frames),
    )
    const [found] = judge(await runner.look(clip, outputs, frames), [expected])
    noticed.push({ off, expected, value: found?.value, noticed: found?.pass === false })
  }
  for (const { off, ablation, clip: name, frames, expected } of brokenEngines) {
    const clip = named(name)
    if (!clip) continue
    const output = await runner.swap(await withEngine(`no-${off}`, ablation), clip, 'control-job')
    const [found] = judge(await runner.look(clip, framesOf(output, frames), frames), [expected])
    noticed.push({ off, expected, value: found?.value, noticed: found?.pass === false })
  }
  return noticed
}

try {
  mkdirSync(made, { recursive: true })
  const clips = await prepareClips()
  const { judges, sources } = await identitiesOf(clips)
  const runner = new ClipRunner(judges, sources, made)
  const engine = await withEngine('full', {})
  const sheets = { clean: new Sheet(), all: new Sheet() }
  const results = []
  for (const clip of clips) {
    const output = await runner.swap(engine, clip)
    if (clip.gates.length === 0) continue
    const moments = sheets.all.clip()
    /** @type {object[]} */
    const frames = []
    const found = await runner.look(clip, framesOf(output, clip.frames), clip.frames, (...seen) => {
      moments.add(...seen)
      frames.push({ frame: seen[0], ...ofFrame(seen[3]) })
    })
    writeFileSync(join(made, 'job', clip.name, 'frames.json'), frames.map((frame) => JSON.stringify(frame)).join('\n'))
    sheets.all.add(clip.name, moments)
    if (clip.mayBeShown) sheets.clean.add(clip.name, moments)
    const timing = timingKept(clip.video, output)
    const gates = [
      ...judge(found, clip.gates),
      { gate: 'timing', value: timing, pass: Object.values(timing).every(Boolean) },
    ]
    results.push({ clip: clip.name, gates, details: detailsOf(found) })
    for (const { gate, value, pass } of gates)
      say(`${clip.name} ${gate}: ${JSON.stringify(value)}${pass ? '' : '  FAILS'}`)
  }
  sheets.clean.write(join(made, 'clean-sheet.jpg'))
  sheets.all.write(join(made, 'contact-sheet.jpg'))
  const outside = uncontrolled ? [] : await lookOutside(runner, clips)
  for (const { clip, value, pass } of outside) say(`${clip} outside: ${value} dB${pass ? '' : '  FAILS'}`)
  const controls = uncontrolled ? [] : await runControls(runner, clips)
  for (const { off, expected, noticed } of controls)
    say(`Without ${off}, ${expected} ${noticed ? 'fails' : 'is NOT noticed'}`)
  const pass =
    results.every(({ gates }) => gates.every(({ pass }) => pass)) &&
    outside.every(({ pass }) => pass) &&
    controls.every(({ noticed }) => noticed)
  const answer = { results, outside, controls, contactSheet: '.cache/bench-quality/contact-sheet.jpg' }
  writeFileSync(join(made, 'results.json'), JSON.stringify({ ...answer, pass }, null, 2))
  say('Contact sheets: .cache/bench-quality/clean-sheet.jpg and contact-sheet.jpg')
  report(answer, pass)
} finally {
  await running.current?.end()
}
// The judges' runtime keeps the process alive.
process.exit()
