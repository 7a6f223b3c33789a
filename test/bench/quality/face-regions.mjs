/** @file Parts of a face by its 68 points, and a blur, for judges that look at skin. */

/** @typedef {import('./judges.mjs').Point} Point */

/**
 * Pixels of parts of a face, as indices into a square. Lengths are in eye distances.
 * @param {readonly Point[]} points iBUG's 68 @param {number} side of the square @param {number} unit pixels of an eye distance
 */
export function shapesOf(points, side, unit) {
  const part = (/** @type {number} */ from, /** @type {number} */ to) => points.slice(from, to)
  const above = part(17, 27).map(([x, y]) => /** @type {Point} */ ([x, y - 0.15 * unit]))
  const face = [...part(0, 17), ...above.toReversed()]
  const [eyes, mouth] = [[part(36, 42), part(42, 48)], part(48, 60)]
  const eyeLevel = part(36, 48).reduce((sum, [, y]) => sum + y, 0) / 12
  const mouthLevel = points[48]?.[1] ?? 0
  /** @type {Record<'middle' | 'besideNose' | 'besideBrows', number[]>} */
  const shapes = { middle: [], besideNose: [], besideBrows: [] }
  for (let at = 0; at < side * side; at += 1) {
    /** @type {Point} */
    const pixel = [(at % side) + 0.5, Math.floor(at / side) + 0.5]
    const far = (/** @type {readonly Point[]} */ line) => distanceTo(line, pixel) / unit
    const round = (/** @type {readonly Point[]} */ loop) =>
      isInside(loop, pixel) ? 0 : far([...loop, ...loop.slice(0, 1)])
    const eye = Math.min(...eyes.map(round))
    const brow = Math.min(far(part(17, 22)), far(part(22, 27)))
    if (brow > 0.12 && brow < 0.4 && eye > 0.1) shapes.besideBrows.push(at)
    if (!isInside(face, pixel) || far(part(0, 17)) < 0.2) continue
    const [nostrils, ridge] = [far(part(31, 36)), far(part(27, 31))]
    const wing = Math.min(
      ...part(31, 36)
        .filter((_, n) => n % 4 === 0)
        .map((point) => far([point])),
    )
    const isBeside = (wing > 0.08 && wing < 0.45 && nostrils > 0.1) || (ridge > 0.1 && ridge < 0.4)
    if (isBeside && eye > 0.1 && round(mouth) > 0.1) shapes.besideNose.push(at)
    const isSkin = eye > 0.17 && brow > 0.17 && round(mouth) > 0.12 && nostrils > 0.12
    if (isSkin && pixel[1] > eyeLevel + 0.25 * unit && pixel[1] < mouthLevel) shapes.middle.push(at)
  }
  return shapes
}

/** How far a point is from a line through points. @param {readonly Point[]} line @param {Point} point */
export function distanceTo(line, [x, y]) {
  let nearest = Infinity
  for (const [n, [ax, ay]] of line.entries()) {
    const [bx, by] = line[n + 1] ?? [ax, ay]
    const length = (bx - ax) ** 2 + (by - ay) ** 2
    const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length))
    nearest = Math.min(nearest, Math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay)))
  }
  return nearest
}

/** @param {readonly Point[]} loop @param {Point} point */
function isInside(loop, [x, y]) {
  let inside = false
  for (const [n, [ax, ay]] of loop.entries()) {
    const [bx, by] = loop[(n + 1) % loop.length] ?? [0, 0]
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside
  }
  return inside
}

/** Gaussian blur of a square plane; its edge repeats. @param {Float32Array} plane @param {number} side @param {number} sigma pixels */
export function blur(plane, side, sigma) {
  const reach = Math.ceil(3 * sigma)
  const taps = Array.from({ length: 2 * reach + 1 }, (_, n) => Math.exp(-(((n - reach) / sigma) ** 2) / 2))
  const all = taps.reduce((sum, tap) => sum + tap, 0)
  /** @param {Float32Array} from @param {number} step @param {number} across */
  const pass = (from, step, across) => {
    const to = new Float32Array(from.length)
    for (let line = 0; line < side; line += 1) {
      for (let n = 0; n < side; n += 1) {
        let sum = 0
        for (let tap = -reach; tap <= reach; tap += 1) {
          const at = Math.max(0, Math.min(side - 1, n + tap))
          sum += (from[line * across + at * step] ?? 0) * (taps[tap + reach] ?? 0)
        }
        to[line * across + n * step] = sum / all
      }
    }
    return to
  }
  return pass(pass(plane, 1, side), side, 1)
}
