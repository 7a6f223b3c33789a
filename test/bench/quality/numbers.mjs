/** @file Sums over values and points. */

/** @typedef {import('./judges.mjs').Picture} Picture @typedef {import('./judges.mjs').Point} Point */

/** @param {Point} a @param {Point} b */
export const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1])

export const mean = (/** @type {readonly number[]} */ values) =>
  values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length

/** Standard deviation. @param {readonly number[]} values */
export function deviation(values) {
  const usual = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - usual) ** 2)))
}

/** The value that a share of all is not above. @param {readonly number[]} values @param {number} share */
export const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

export const median = (/** @type {readonly number[]} */ values) => quantile(values, 0.5)

export const centre = (/** @type {readonly Point[]} */ points) =>
  /** @type {Point} */ ([mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))])

export const eyeDistance = (/** @type {readonly Point[]} */ points) =>
  distance(centre(points.slice(36, 42)), centre(points.slice(42, 48)))

export const luma = (/** @type {Picture} */ { data, width }, /** @type {number} */ x, /** @type {number} */ y) => {
  const at = (y * width + x) * 3
  return 0.3 * (data[at] ?? 0) + 0.59 * (data[at + 1] ?? 0) + 0.11 * (data[at + 2] ?? 0)
}
