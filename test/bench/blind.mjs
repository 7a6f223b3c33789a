/**
 * @file Frames for somebody who knows nothing of how they were made: heads as they are filmed, with the face of a person of the
 * same sex and a similar age and skin, and with one of another. In `.cache/bench-blind`, each of six folders shows each head
 * once; `key.json` says which is which. `--answers FILE` counts what six people said: JSON, by folder `marks` from 0 to 10 and
 * `untouched`, true for a frame that is taken for untouched, in the order of the frames. Needs ffmpeg, and npm once. Some
 * pictures are fetched and may not be committed, nor may frames with them.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { seeded } from '../fault/random.ts'
import { report, root, round, wordsOf } from './lib/harness.mjs'
import { buildEngine, startEngine, swapTo } from './quality/engine-run.mjs'
import { ffmpeg } from './quality/frames.mjs'
import { likenessPairs } from './quality/likeness-pairs.mjs'
import { mean } from './quality/numbers.mjs'
import { judged, portraitClip, portraits } from './quality/portrait-clips.mjs'

const made = join(root, '.cache/bench-blind')
const fetched = join(root, '.cache/bench-likeness')
const sets = /** @type {const} */ (['untouched', 'like', 'unlike'])
const judges = 6
/**
 * Asked of the swapped frames: their mean over that of the untouched ones, the least mark, and the share that is taken for
 * untouched.
 */
const limits = { mean: 0.75, least: 4, taken: 0.25 }
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
  try {
    for (const [head, faces] of Object.entries(heads)) {
      const clip = head === 'still' || head === 'talk' ? videos[head] : portraitClip(made, head)
      frame(clip, fileOf({ head, set: 'untouched' }))
      for (const set of /** @type {const} */ (['like', 'unlike'])) {
        const folder = join(made, 'job')
        rmSync(folder, { recursive: true, force: true })
        mkdirSync(folder)
        frame(await swapTo(engine, faceOf(faces[set]), clip, folder), fileOf({ head, set }))
      }
    }
  } finally {
    await engine.end()
  }
  return fileOf
}

/** Deals the frames, the same each time. @returns {Key} */
function dealt() {
  const random = seeded(34)
  /** @param {string[]} from */
  const shuffled = (from) =>
    from
      .map((one) => ({ one, at: random() }))
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
    shown.map(({ set }, at) => {
      const [mark, taken] = [answers[judge]?.marks[at], answers[judge]?.untouched[at]]
      if (mark === undefined || taken === undefined)
        throw new Error(`${judge} has no answer for frame ${String(at + 1)}`)
      return { set, mark, taken }
    }),
  )
  const figures = (/** @type {typeof all} */ own) => ({
    mean: round(mean(own.map(({ mark }) => mark)), 2),
    least: Math.min(...own.map(({ mark }) => mark)),
    taken: round(mean(own.map(({ taken }) => Number(taken))), 2),
  })
  const bySet = Object.fromEntries(sets.map((name) => [name, figures(all.filter(({ set }) => set === name))]))
  const untouched = figures(all.filter(({ set }) => set === 'untouched'))
  const swapped = figures(all.filter(({ set }) => set !== 'untouched'))
  const pass =
    swapped.mean >= limits.mean * untouched.mean && swapped.least >= limits.least && swapped.taken >= limits.taken
  report({ ...bySet, swapped, limits }, pass)
}

const [answers] = wordsOf('--answers')
const key = dealt()
if (answers) count(key, JSON.parse(readFileSync(answers, 'utf8')))
else {
  const fileOf = await swapAll()
  for (const [judge, shown] of Object.entries(key)) {
    mkdirSync(join(made, judge), { recursive: true })
    for (const [at, one] of shown.entries())
      copyFileSync(fileOf(one), join(made, judge, `${String(at + 1).padStart(2, '0')}.png`))
  }
  writeFileSync(join(made, 'key.json'), JSON.stringify(key, null, 2))
  report({ frames: Object.keys(heads).length * sets.length, folder: made }, true)
}
process.exit()
