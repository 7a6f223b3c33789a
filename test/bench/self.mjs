/**
 * @file People swapped onto themselves: each one's portrait, mirrored and lit from the other side in another hue, onto a clip of
 * the portrait. The clip shows what the swap should look like, so pixels are compared; judges only say where the face is.
 * Needs ffmpeg, and npm once. The portraits are in the public domain. `--only NAME …`: some people. The swaps stay in
 * `.cache/bench-self`.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { report, root, round, say, wordsOf } from './lib/harness.mjs'
import { buildEngine, startEngine, swapTo } from './quality/engine-run.mjs'
import { blur, shapesOf } from './quality/face-regions.mjs'
import { ffmpeg, framesOf } from './quality/frames.mjs'
import { crop, loadJudges, squareOf } from './quality/judges.mjs'
import { deviation, eyeDistance, mean, median } from './quality/numbers.mjs'
import { judged, portraitClip, portraits } from './quality/portrait-clips.mjs'

/** @typedef {import('./quality/judges.mjs').Picture} Picture @typedef {import('./quality/judges.mjs').Point} Point */
/** `unit`: pixels between the eyes. @typedef {{ luma: Float32Array, red: Float32Array, side: number, unit: number }} Face */
/** Indices of pixels. @typedef {Record<'skin' | 'face', number[]>} Places */

const made = join(root, '.cache/bench-self')
const only = wordsOf('--only')
/** Without glasses, and large enough for pores. */
const people = Object.keys(portraits).filter((name) => name !== 'grace-hopper' && name !== 'eileen-collins')
/**
 * Output over input, the median of all people. `detail`: deviation of what is finer than 1.5 pixels, in the skin between eyes
 * and mouth. `shade`: deviation of luma between 0.15 and 0.6 eye distances, in the whole face; `light`: its correlation. `hue`:
 * deviation of red less luma between 0.06 and 0.6 eye distances.
 */
const limits = { detail: [0.85, 1.15], shade: [0.88, 1.12], light: [0.95, 1], hue: [0.88, 1.12] }

/** @typedef {Record<keyof typeof limits, number>} Figures */

const judges = await loadJudges(join(root, '.cache/bench-likeness/judges'))

/** @param {Picture} picture @returns {Promise<Point[]>} iBUG's 68 */
async function pointsOf(picture) {
  const square = await judges.detect(picture)
  if (!square) throw new Error('the judge finds no face')
  return judges.landmarks(picture, squareOf(await judges.landmarks(picture, square), 1.2))
}

/** @param {Picture} picture @param {readonly Point[]} points @returns {Face} */
function faceOf(picture, points) {
  const square = squareOf(points, 1.3)
  const side = Math.round(square.size)
  const rgb = crop(picture, square, side)
  const luma = new Float32Array(side * side)
  const red = new Float32Array(side * side)
  for (let at = 0; at < luma.length; at += 1) {
    const [r = 0, g = 0, b = 0] = rgb.subarray(at * 3, at * 3 + 3)
    luma[at] = 0.2126 * r + 0.7152 * g + 0.0722 * b
    red[at] = r - (luma[at] ?? 0)
  }
  return { luma, red, side, unit: eyeDistance(points) }
}

/** @param {readonly Point[]} points @param {Face} face @returns {Places} */
function placesOf(points, { side, unit }) {
  const { x, y, size, turn = 0 } = squareOf(points, 1.3)
  const [c, s] = [(Math.cos(turn) * side) / size, (Math.sin(turn) * side) / size]
  const placed = points.map(
    ([px, py]) =>
      /** @type {Point} */ ([(px - x) * c + (py - y) * s + side / 2, (py - y) * c - (px - x) * s + side / 2]),
  )
  const inFace = (/** @type {number} */ at) =>
    Math.hypot((at % side) / side - 0.5, Math.floor(at / side) / side - 0.5) < 0.34
  return { skin: shapesOf(placed, side, unit).middle, face: [...Array(side * side).keys()].filter(inFace) }
}

/** What is between two sizes in pixels, at some places; a size of 0 is every detail. @param {Float32Array} plane @param {number} side @param {readonly [number, number]} sizes @param {readonly number[]} where */
function between(plane, side, [fine, coarse], where) {
  const sharp = fine === 0 ? plane : blur(plane, side, fine)
  const soft = blur(plane, side, coarse)
  return where.map((at) => (sharp[at] ?? 0) - (soft[at] ?? 0))
}

/** @param {Face} input @param {Face} output @param {Places} places @returns {Figures} */
function figuresOf(input, output, { skin, face }) {
  const { side, unit } = input
  /** @param {'luma' | 'red'} plane @param {readonly [number, number]} sizes @param {readonly number[]} where */
  const both = (plane, sizes, where) => {
    const [was, is] = [input, output].map((one) => between(one[plane], side, sizes, where))
    return /** @type {const} */ ([was ?? [], is ?? []])
  }
  const ratio = (/** @type {readonly [number[], number[]]} */ [was, is]) => deviation(is) / deviation(was)
  const [was, is] = both('luma', [0.15 * unit, 0.6 * unit], face)
  const [wasMean, isMean] = [mean(was), mean(is)]
  const together = mean(was.map((value, at) => (value - wasMean) * ((is[at] ?? 0) - isMean)))
  return {
    detail: ratio(both('luma', [0, 1.5], skin)),
    shade: ratio([was, is]),
    light: together / (deviation(was) * deviation(is)),
    hue: ratio(both('red', [0.06 * unit, 0.6 * unit], face)),
  }
}

/** Output spoiled by hand, and the figure that must notice it. @type {{ off: string, expected: keyof Figures, spoil: (face: Face) => Face }[]} */
const controls = [
  { off: 'pores', expected: 'detail', spoil: (face) => ({ ...face, luma: blur(face.luma, face.side, 1) }) },
  {
    off: 'light from its side',
    expected: 'light',
    spoil: (face) => ({ ...face, luma: mirrored(face.luma, face.side) }),
  },
  {
    off: 'half of the shade',
    expected: 'shade',
    spoil: (face) => ({ ...face, luma: face.luma.map((value) => value / 2) }),
  },
  { off: 'half of the red', expected: 'hue', spoil: (face) => ({ ...face, red: face.red.map((value) => value / 2) }) },
]

/** @param {Float32Array} plane @param {number} side */
const mirrored = (plane, side) => plane.map((_, at) => plane[at + side - 1 - 2 * (at % side)] ?? 0)

/** A clip of the portrait, and the picture that is put onto it. @param {string} name @param {number} turn −1 or 1: the side of the light */
function mediaOf(name, turn) {
  const clip = portraitClip(made, name)
  const picture = join(made, `${name}.png`)
  /** Linear light of a channel, brighter towards one side. */
  const lit = (/** @type {string} */ channel, /** @type {number} */ by) =>
    `${channel}='255*pow(clip(pow(${channel}(X,Y)/255,2.2)*${String(by)}*exp(${String(0.35 * turn)}*(2*X/W-1)),0,1),1/2.2)'`
  const light = [lit('r', 1.05), lit('g', 0.95), lit('b', 0.8)].join(':')
  ffmpeg('-i', portraits[name]?.picture ?? '', '-vf', `hflip,format=gbrp,geq=${light}`, picture)
  return { clip, picture }
}

/** @param {string} path @returns {Promise<Picture>} */
async function frameOf(path) {
  let at = 0
  for await (const frame of framesOf(path)) if ((at += 1) === judged) return frame
  throw new Error(`${path} has too few frames`)
}

const keys = /** @type {(keyof Figures)[]} */ (Object.keys(limits))
/** @param {(key: keyof Figures) => number} of */
const figures = (of) => /** @type {Figures} */ (Object.fromEntries(keys.map((key) => [key, of(key)])))
const mediansOf = (/** @type {readonly Figures[]} */ all) => figures((key) => median(all.map((one) => one[key])))
const rounded = (/** @type {Figures} */ one) => figures((key) => round(one[key], 3))
const isMet = (/** @type {keyof Figures} */ key, /** @type {number} */ value) =>
  value >= (limits[key][0] ?? 0) && value <= (limits[key][1] ?? 0)

mkdirSync(made, { recursive: true })
const engine = await startEngine(made, await buildEngine(made, 'engine', {}))
try {
  /** @type {Record<string, Figures>} */
  const results = {}
  /** @type {Figures[][]} */
  const spoiled = controls.map(() => [])
  for (const [n, name] of people.entries()) {
    if (only.length > 0 && !only.includes(name)) continue
    const { clip, picture } = mediaOf(name, n % 2 === 0 ? 1 : -1)
    const folder = join(made, 'swaps', name)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const [input, output] = [await frameOf(clip), await frameOf(await swapTo(engine, picture, clip, folder))]
    // Of the input for both, so that the same pixels are compared.
    const points = await pointsOf(input)
    const [was, is] = [faceOf(input, points), faceOf(output, points)]
    const places = placesOf(points, was)
    results[name] = rounded(figuresOf(was, is, places))
    for (const [at, { spoil }] of controls.entries()) spoiled[at]?.push(figuresOf(was, spoil(is), places))
    say(`${name}: ${JSON.stringify(results[name])}`)
  }
  const medians = mediansOf(Object.values(results))
  const noticed = controls.map(({ off, expected }, at) => {
    const value = mediansOf(spoiled[at] ?? [])[expected]
    return { off, expected, value: round(value, 3), noticed: !isMet(expected, value) }
  })
  for (const { off, expected, value, ...one } of noticed)
    say(`Without ${off}, ${expected} ${one.noticed ? 'fails' : 'is NOT noticed'}: ${String(value)}`)
  const pass = keys.every((key) => isMet(key, medians[key])) && noticed.every((one) => one.noticed)
  report({ ...rounded(medians), limits, people: results, controls: noticed }, pass)
} finally {
  await engine.end()
}
process.exit()
