/** @file Sheets of the likeness pairs: the source, then input and output at a video's three hardest moments. */
import { join } from 'node:path'
import { eyeSquare } from './frame-pairs.mjs'
import { framesOf } from './frames.mjs'
import { crop, squareOf, turnOf } from './judges.mjs'
import { distance, eyeDistance, mean } from './numbers.mjs'
import { side, writeCells, yawOf } from './sheet.mjs'

/** @typedef {import('./judges.mjs').Picture} Picture @typedef {import('./judges.mjs').Point} Point */
/** @typedef {{ index: number, what: string, input: Picture, points: Point[], open: number }} Moment lids' openness */

/** What can be hard about a face, as a number that grows with it. @type {Record<string, (moment: Omit<Moment, 'what'>) => number>} */
const hardness = {
  lids: ({ open }) => -open,
  mouth: ({ points }) => distance(points[62] ?? [0, 0], points[66] ?? [0, 0]) / eyeDistance(points),
  turn: ({ points }) => Math.abs(yawOf(points)),
}

/**
 * The frames with the most shut eyes, the most open mouth and the largest turn, each at least five frames from the others.
 * @param {import('./judges.mjs').Judges} judges @param {string} video @param {(picture: Picture) => Promise<Point[] | null>} pointsOf
 */
export async function hardestMoments(judges, video, pointsOf) {
  /** @type {Omit<Moment, 'what'>[]} */
  const seen = []
  let index = 0
  for await (const input of framesOf(video)) {
    const points = await pointsOf(input)
    if (points) {
      const squares = [36, 42].map((at) => eyeSquare(points.slice(at, at + 6), turnOf(points)))
      const eyes = await judges.eyes(squares.map((square) => ({ picture: input, square })))
      seen.push({ index, input, points, open: mean(eyes.map(({ open }) => open)) })
    }
    index += 1
  }
  /** @type {Moment[]} */
  const picked = []
  for (const [what, of] of Object.entries(hardness)) {
    const free = seen.filter((one) => picked.every((other) => Math.abs(other.index - one.index) >= 5))
    const [hardest] = free.toSorted((a, b) => of(b) - of(a))
    if (hardest) picked.push({ ...hardest, what })
  }
  return picked
}

/**
 * Writes one pair's sheet as `NAME.png`.
 * @param {string} folder @param {string} name @param {{ picture: Picture, points: Point[] }} source
 * @param {readonly Moment[]} moments of the video @param {string} output path of the swap
 */
export async function writePairSheet(folder, name, source, moments, output) {
  const cells = [{ pixels: crop(source.picture, squareOf(source.points, 1.7), side), label: name }]
  let index = 0
  for await (const frame of framesOf(output)) {
    for (const { what, input, points } of moments.filter((moment) => moment.index === index)) {
      const square = squareOf(points, 1.7)
      cells.push({ pixels: crop(input, square, side), label: `${what} ${index}` })
      cells.push({ pixels: crop(frame, square, side), label: '' })
    }
    index += 1
  }
  writeCells(join(folder, `${name}.png`), [cells])
}
