/**
 * @file Frames for somebody who knows nothing of how they were made: heads as they are filmed, with the face of a person of the
 * same sex and a similar age and skin, and with one of another. In `.cache/bench-blind`, each of six folders shows each head
 * once; `key.json` says which is which. `--answers FILE` counts what six people said: JSON, by folder a list of marks from 0 to
 * 10, and `true` for those taken for untouched. Needs ffmpeg, and npm once. Some pictures are fetched and may not be
 * committed, nor may frames with them.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { report, root, round, wordsOf } from './harness.mjs'
import { buildEngine, startEngine, swapTo } from './quality/engine-run.mjs'
import { ffmpeg } from './quality/frames.mjs'
import { likenessPairs } from './quality/likeness-pairs.mjs'
import { mean } from './quality/numbers.mjs'
import { judged, portraitClip, portraits } from './quality/portrait-clips.mjs'

const made = join(root, '.cache/bench-blind')
const fetched = join(root, '.cache/bench-likeness')
const sets = /** @type {const} */ (['untouched', 'like', 'unlike'])
const judges = 6
/** Heads, and whose face they get. @type {Record<string, { like: string, unlike: string }>} */
const heads = {
  'ellen-ochoa': { like: 'sally-ride-1984', unlike: 'guion-bluford' },
  'kjell-lindgren': { like: 'cage', unlike: 'mae-jemison' },
  'guion-bluford': { like: 'frederick-gregory', unlike: 'ellen-ochoa' },
  'jeanette-epps': { like: 'mae-jemison', unlike: 'kjell-lindgren' },
  'mae-jemison': { like: 'jeanette-epps', unlike: 'sally-ride' },
  'frederick-gregory': { like: 'guion-bluford', unlike: 'jeanette-epps' },
  'sally-ride': { like: 'ellen-ochoa', unlike: 'frederick-gregory' },
  'sally-ride-1984': { like: 'eileen-collins', unlike: 'murray' },
  'grace-hopper': { like: 'sally-ride', unlike: 'kjell-lindgren' },
  'eileen-collins': { like: 'sally-ride-1984', unlike: 'frederick-gregory' },
  still: { like: 'kjell-lindgren', unlike: 'jeanette-epps' },
  talk: { like: 'clooney', unlike: 'sally-ride' },
}

/** @typedef {{ head: string, set: typeof sets[number] }} Shown */
/** By folder, the frames in their order. @typedef {Record<string, Shown[]>} Key */

/** @param {string} video @param {string} name @returns {string} a clip */
function firstSecond(video, name) {
  const clip = join(made, `${name}.mp4`)
  if (!existsSync(clip)) ffmpeg('-i', video, '-frames:v', '30', '-crf', '12', clip)
  return clip
}

/** Swaps all pairs. @returns {Promise<(shown: Shown) => string>} the frame's file */
async function swapAll() {
  mkdirSync(fetched, { recursive: true })
  const { videos, pairs } = likenessPairs(fetched)
  const faceOf = (/** @type {string} */ name) =>
    portraits[name]?.picture ?? pairs.find((pair) => pair.name === name)?.face ?? ''
  const frame = (/** @type {string} */ video, /** @type {string} */ file) =>
    ffmpeg('-i', video, '-vf', `select=eq(n\\,${String(judged - 1)}),scale=-2:520`, '-frames:v', '1', file)
  const fileOf = (/** @type {Shown} */ { head, set }) => join(made, 'frames', `${head}-${set}.png`)
  mkdirSync(join(made, 'frames'), { recursive: true })
  const engine = await startEngine(made, await buildEngine(made, 'engine', {}))
  for (const [head, faces] of Object.entries(heads)) {
    const clip = head === 'still' || head === 'talk' ? firstSecond(videos[head], head) : portraitClip(made, head)
    frame(clip, fileOf({ head, set: 'untouched' }))
    for (const set of /** @type {const} */ (['like', 'unlike'])) {
      const folder = join(made, 'job')
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
      frame(await swapTo(engine, faceOf(faces[set]), clip, folder), fileOf({ head, set }))
    }
  }
  await engine.end()
  return fileOf
}

/** Numbers that look random but are the same each time, below `end`. @param {number} seed */
function numbers(seed) {
  let state = seed
  return (/** @type {number} */ end) => (state = (state * 48271) % 2147483647) % end
}

/** Deals the frames. @returns {Key} */
function dealt() {
  const next = numbers(34)
  /** @param {string[]} from */
  const shuffled = (from) =>
    from
      .map((one) => ({ one, at: next(1e6) }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one)
  const order = shuffled(Object.keys(heads))
  return Object.fromEntries(
    Array.from({ length: judges }, (_, judge) => [
      `judge-${String(judge + 1)}`,
      shuffled(order).map((head) => ({ head, set: sets[(order.indexOf(head) + judge) % sets.length] ?? 'untouched' })),
    ]),
  )
}

/** @param {Key} key @param {Record<string, { marks: number[], untouched: boolean[] }>} answers */
function count(key, answers) {
  const all = Object.entries(key).flatMap(([judge, shown]) =>
    shown.map((one, at) => ({
      ...one,
      mark: answers[judge]?.marks[at],
      taken: answers[judge]?.untouched[at] ?? false,
    })),
  )
  return Object.fromEntries(
    sets.map((set) => {
      const own = all.filter((one) => one.set === set && one.mark !== undefined)
      const marks = own.map(({ mark = 0 }) => mark)
      const taken = own.filter((one) => one.taken).length
      return [
        set,
        { answers: own.length, mean: round(mean(marks), 2), least: Math.min(...marks), takenForUntouched: taken },
      ]
    }),
  )
}

const [answers] = wordsOf('--answers')
const key = dealt()
if (answers) report(count(key, JSON.parse(readFileSync(answers, 'utf8'))), true)
else {
  const fileOf = await swapAll()
  for (const [judge, shown] of Object.entries(key)) {
    mkdirSync(join(made, judge), { recursive: true })
    for (const [at, one] of shown.entries())
      writeFileSync(join(made, judge, `${String(at + 1).padStart(2, '0')}.png`), readFileSync(fileOf(one)))
  }
  writeFileSync(join(made, 'key.json'), JSON.stringify(key, null, 2))
  report({ frames: Object.keys(heads).length * sets.length, folder: made }, true)
}
process.exit()
