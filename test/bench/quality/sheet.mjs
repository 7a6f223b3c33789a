/** @file A contact sheet of the hardest moments, each with what is hard about it: input above, output below. */
import { spawnSync } from 'node:child_process'
import { crop, squareOf } from './judges.mjs'
import { landmarkError, openness } from './measures.mjs'
import { distance, eyeDistance } from './numbers.mjs'

/** Pixels of a picture's side. */
export const side = 240
const columns = 8
/** Moments of a clip. */
const max = 4

/** @typedef {import('./judges.mjs').Picture} Picture @typedef {import('./frame-pairs.mjs').FramePair} FramePair */
/** @typedef {{ pixels: Uint8Array, label: string }} Cell */
/** @typedef {{ index: number, before: Picture, after: Picture, square: import('./judges.mjs').Square, hardness: Record<string, number> }} Moment */

/** What can be hard about a frame, and from where on it is worth showing. @type {Record<string, number>} */
const worth = {
  yaw: 15,
  roll: 12,
  mouth: 0.2,
  covered: 0.05,
  shut: 0.25,
  pop: 0.12,
  landmarks: 0.02,
  seam: 1.05,
  light: 4,
  first: 0,
}

/** The hardest moments of one clip. */
class ClipMoments {
  /** Those that were harder in something than all before. @type {Moment[]} */
  #kept = []
  /** @type {Map<string, number>} */
  #hardest = new Map()
  /** @type {number | null} */
  #change = null

  /** @param {number} index @param {Picture} before @param {Picture} after @param {FramePair} pair */
  add(index, before, after, pair) {
    const { pose, place, inside, occlusion } = pair
    if (!place) return
    const points = pair.before
    const known = points.length > 0
    const square = known ? squareOf(points, 1.7) : { x: place.x, y: place.y, size: place.eyes * 3.8, turn: place.turn }
    // Seen as it is in the frame.
    const upright = { ...square, turn: Math.abs(place.turn) > 2 ? place.turn : 0 }
    const hardness = {
      yaw: Math.abs(pose?.yaw ?? (known ? yawOf(points) : 0)),
      roll: (Math.abs(place.turn) * 180) / Math.PI,
      mouth: known ? distance(points[62] ?? [0, 0], points[66] ?? [0, 0]) / eyeDistance(points) : 0,
      covered: occlusion && inside ? 1 - inside.visible : 0,
      shut: pose?.shut ?? (known ? Math.max(0, 0.3 - openness(pair).before) * 2 : 0),
      pop: this.#change !== null && inside ? Math.abs(inside.change - this.#change) / Math.max(4, inside.change) : 0,
      landmarks: known ? landmarkError(pair) : 0,
      seam: pair.seam ? pair.seam.after / Math.max(1, pair.seam.before) : 0,
      light: inside ? Math.abs(inside.after - inside.before) : 0,
      first: index === 0 ? 1 : 0,
    }
    this.#change = inside?.change ?? null
    const harder = Object.entries(hardness).filter(([what, value]) => value > (this.#hardest.get(what) ?? 0))
    for (const [what, value] of harder) this.#hardest.set(what, value)
    if (harder.length > 0) this.#kept.push({ index, before, after, square: upright, hardness })
  }

  /** One moment for each thing that is hard, what is not shown yet first. @returns {(Moment & { what: string })[]} */
  pick() {
    /** @type {(Moment & { what: string })[]} */
    const picked = []
    for (const [what, min] of Object.entries(worth)) {
      const free = this.#kept.filter(({ index }) => picked.every((one) => Math.abs(one.index - index) > 4))
      const [hardest] = free.toSorted((a, b) => (b.hardness[what] ?? 0) - (a.hardness[what] ?? 0))
      if (hardest && picked.length < max && (hardest.hardness[what] ?? 0) > min) picked.push({ ...hardest, what })
    }
    return picked
  }
}

/** About how far a face is turned, degrees: where the tip of the nose is between the eyes. @param {readonly import('./judges.mjs').Point[]} points */
export function yawOf(points) {
  /** @type {import('./judges.mjs').Point[]} */
  const [left = [0, 0], right = [0, 0], tip = [0, 0]] = [36, 45, 30].map((at) => points[at] ?? [0, 0])
  const [dx, dy] = [right[0] - left[0], right[1] - left[1]]
  return (((tip[0] - left[0]) * dx + (tip[1] - left[1]) * dy) / (dx * dx + dy * dy) - 0.5) * 110
}

export class Sheet {
  /** @type {{ before: Uint8Array, after: Uint8Array, label: string }[]} */
  #cells = []

  /** Collects one clip's moments. */
  clip() {
    return new ClipMoments()
  }

  /** @param {string} clip @param {ClipMoments} moments */
  add(clip, moments) {
    for (const { index, before, after, square, what, hardness } of moments.pick()) {
      const value = hardness[what] ?? 0
      const label = what === 'first' ? '' : ` ${what} ${value < 3 ? value.toFixed(2) : value.toFixed(0)}`
      const [above, below] = [crop(before, square, side), crop(after, square, side)]
      this.#cells.push({ before: above, after: below, label: `${clip} ${index}${label}` })
    }
  }

  /** @param {string} path */
  write(path) {
    /** @type {Cell[][]} */
    const rows = []
    for (let first = 0; first < this.#cells.length; first += columns) {
      const cells = this.#cells.slice(first, first + columns)
      rows.push(cells.map(({ before, label }) => ({ pixels: before, label })))
      rows.push(cells.map(({ after }) => ({ pixels: after, label: '' })))
    }
    writeCells(path, rows)
  }
}

/** Writes squares of pixels in rows, each with its label. @param {string} path @param {readonly (readonly Cell[])[]} rows */
export function writeCells(path, rows) {
  const width = Math.max(0, ...rows.map((cells) => cells.length)) * side
  if (width === 0) return
  const sheet = new Uint8Array(width * rows.length * side * 3)
  const texts = rows.flatMap((cells, down) =>
    cells.flatMap(({ pixels, label }, across) => {
      for (let line = 0; line < side; line += 1) {
        const to = ((down * side + line) * width + across * side) * 3
        sheet.set(pixels.subarray(line * side * 3, (line + 1) * side * 3), to)
      }
      const [x, y] = [across * side + 4, down * side + 4]
      if (!label) return []
      return `drawtext=text='${label}':x=${x}:y=${y}:fontsize=15:fontcolor=white:box=1:boxcolor=black@0.6:boxborderw=3`
    }),
  )
  const format = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${rows.length * side}`, '-i', '-']
  const to = ['-update', '1', '-q:v', '3', path]
  const labelled = spawnSync('ffmpeg', ['-v', 'error', '-y', ...format, '-vf', texts.join(','), ...to], {
    input: sheet,
  })
  // A machine without a font still gets its sheet.
  if (labelled.status !== 0) spawnSync('ffmpeg', ['-v', 'error', '-y', ...format, ...to], { input: sheet })
}
