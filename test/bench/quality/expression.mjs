/**
 * @file Whether an expression moves as the input's does: Pearson's correlation over a clip's frames, and how far it moves.
 *
 * A part that is still has no correlation but the judge's noise. So a part counts only where the judge sees it move: where
 * its two reads of the input, as it is and mirrored, correlate by 0.98 (were it less, a perfect swap could hardly reach
 * the bound of 0.97), and where it moves far enough: the judge sees the brows of a face that only blinks move by 0.008.
 * A clip in which no part counts has 0.
 */
import { centre, deviation, distance, eyeDistance, mean } from './numbers.mjs'

/** @typedef {import('./frame-pairs.mjs').FramePair} FramePair @typedef {import('./frame-pairs.mjs').Reading} Reading */
/** @typedef {import('./judges.mjs').Point} Point */

const least = 0.98
/** Standard deviation over the clip, in eye distances or, for lids, in widths of the eye. */
const leastMove = 0.015

/** @param {readonly Point[]} points @param {number} a @param {number} b in eye distances */
const apart = (points, a, b) => distance(points[a] ?? [0, 0], points[b] ?? [0, 0]) / eyeDistance(points)

/**
 * How far brows are above the eyes' corners, across their line, in eye distances. Lids are left out: they would move it in
 * a blink.
 * @param {readonly Point[]} points
 */
function browHeight(points) {
  const between = (/** @type {number} */ a, /** @type {number} */ b) =>
    centre([points[a] ?? [0, 0], points[b] ?? [0, 0]])
  const [left, right] = [between(36, 39), between(42, 45)]
  const [dx, dy] = [right[0] - left[0], right[1] - left[1]]
  const [x, y] = centre(points.slice(17, 27))
  const [u, v] = [x - (left[0] + right[0]) / 2, y - (left[1] + right[1]) / 2]
  return (u * dy - v * dx) / (dx * dx + dy * dy)
}

/** @type {Record<string, (reading: Reading) => number>} */
const parts = {
  mouth: ({ points }) => apart(points, 62, 66),
  smile: ({ points }) => apart(points, 48, 54),
  brows: ({ points }) => browHeight(points),
  lids: ({ open }) => open,
}

/** @param {readonly number[]} a @param {readonly number[]} b */
function correlation(a, b) {
  const [x, y] = [mean(a), mean(b)]
  const both = mean(a.map((value, n) => (value - x) * ((b[n] ?? 0) - y)))
  return both / Math.max(1e-9, deviation(a) * deviation(b))
}

/** The worst of the parts that count, and each of them: its correlation and its range in parts of the input's. @param {readonly FramePair[]} seen */
export function expressionOf(seen) {
  /** @type {Record<string, number>} */
  const found = {}
  let [expression, expressionRange] = [Infinity, 1]
  for (const [name, of] of Object.entries(parts)) {
    const reads = [0, 1].map((n) => seen.map((pair) => of(pair.reads[n] ?? { points: [], open: 0 })))
    if (!(correlation(reads[0] ?? [], reads[1] ?? []) >= least)) continue
    const before = seen.map((pair) => of({ points: pair.before, open: pair.lids.before }))
    if (deviation(before) < leastMove) continue
    const after = seen.map((pair) => of({ points: pair.after, open: pair.lids.after }))
    const range = deviation(after) / Math.max(1e-9, deviation(before))
    found[`${name}Follows`] = correlation(before, after)
    found[`${name}Range`] = range
    expression = Math.min(expression, correlation(before, after))
    if (Math.abs(Math.log(range)) > Math.abs(Math.log(expressionRange))) expressionRange = range
  }
  return { ...found, expression: expression === Infinity ? 0 : expression, expressionRange }
}
