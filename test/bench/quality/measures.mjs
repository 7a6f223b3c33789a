/** @file What the gates are about, as numbers over a clip and its swap. */
import { distance, samePerson, squareOf } from './judges.mjs'
import { Shake } from './shake.mjs'

/** @typedef {import('./judges.mjs').Picture} Picture @typedef {import('./judges.mjs').Point} Point */

/** Identity is asked for at this many moments of a clip. */
const identityMoments = 12

const mean = (/** @type {readonly number[]} */ values) =>
  values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length
export const median = (/** @type {readonly number[]} */ values) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const centre = (/** @type {readonly Point[]} */ points) =>
  /** @type {Point} */ ([mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))])
const eyeDistance = (/** @type {readonly Point[]} */ points) =>
  distance(centre(points.slice(36, 42)), centre(points.slice(42, 48)))

/** Distance of two identities. @param {Float32Array} a @param {Float32Array} b */
export const between = (a, b) => Math.hypot(...a.map((value, at) => value - (b[at] ?? 0)))

/**
 * Similarity of two identities, 0…1, by the mapping that dlib's users know ("Calculating accuracy as a percentage" in the
 * notes of face_recognition): about a half at the bound for the same person, steep around it.
 * @param {number} apart
 */
export function similarity(apart) {
  if (apart > samePerson) return Math.max(0, (1 - apart) / ((1 - samePerson) * 2))
  const straight = 1 - apart / (samePerson * 2)
  return straight + (1 - straight) * ((straight - 0.5) * 2) ** 0.2
}

/** How eyes are cut for the iris model. @param {readonly Point[]} points of one eye */
const eyeSquare = (points) => {
  const [x, y] = centre([points[0] ?? [0, 0], points[3] ?? [0, 0]])
  return { x, y, size: distance(points[0] ?? [0, 0], points[3] ?? [0, 0]) * 2.3 }
}

/** What one frame and its swap show. */
export class FramePair {
  /** @type {Point[]} */ before = []
  /** @type {Point[]} */ after = []
  /** @type {{ open: number, x: number, y: number }[]} */ eyesBefore = []
  /** @type {{ open: number, x: number, y: number }[]} */ eyesAfter = []
  /** @type {{ before: Float32Array, after: Float32Array } | null} */ identity = null
  /** @type {{ before: number, after: number } | null} */ seam = null
  outsideError = 0
  outsidePixels = 0
}

/**
 * @param {import('./judges.mjs').Judges} judges
 * @param {AsyncIterable<Picture>} inputs @param {AsyncIterable<Picture>} outputs @param {number} frames
 * @param {(index: number, before: Picture, after: Picture, pair: FramePair) => void} [see]
 */
export async function watch(judges, inputs, outputs, frames, see) {
  /** @type {FramePair[]} */
  const pairs = []
  const every = Math.max(1, Math.floor(frames / identityMoments))
  /** @type {Point[] | null} */
  let last = null
  const shake = new Shake()
  const others = outputs[Symbol.asyncIterator]()
  for await (const before of inputs) {
    const { value: after } = await others.next()
    if (!after) break
    const pair = new FramePair()
    const found = last ? squareOf(last, 1.2) : await judges.detect(before)
    if (found) {
      // Both are looked at in the same square, so that only what differs in the face differs.
      const square = last ? found : squareOf(await judges.landmarks(before, found), 1.2)
      pair.before = await judges.landmarks(before, square)
      pair.after = await judges.landmarks(after, square)
      for (const at of [36, 42]) {
        const eye = eyeSquare(pair.before.slice(at, at + 6))
        pair.eyesBefore.push(await judges.eye(before, eye))
        pair.eyesAfter.push(await judges.eye(after, eye))
      }
      if (pairs.length % every === 0) {
        const [a, b] = [await judges.identity(before, pair.before), await judges.identity(after, pair.after)]
        pair.identity = { before: a, after: b }
      }
      measureEdge(before, after, pair)
      shake.add(before, after, pair.before)
      last = pair.before
    }
    see?.(pairs.length, before, after, pair)
    pairs.push(pair)
    // A judge that lost the face looks for it anew now and then.
    if (pairs.length % 50 === 0) last = null
  }
  await others.return?.(undefined)
  return { pairs, shake: shake.ratio }
}

const luma = (/** @type {Picture} */ { data, width }, /** @type {number} */ x, /** @type {number} */ y) => {
  const at = (y * width + x) * 3
  return 0.3 * (data[at] ?? 0) + 0.59 * (data[at + 1] ?? 0) + 0.11 * (data[at + 2] ?? 0)
}

/**
 * The swap's edge is where, coming from outside, the picture begins to differ. There the steepest step along the ray, in
 * both pictures; and how far they differ beyond it, which is the encoder's doing.
 * @param {Picture} before @param {Picture} after @param {FramePair} pair
 */
function measureEdge(before, after, pair) {
  const { width, height } = before
  const face = squareOf(pair.before, 1)
  const unit = face.size / 100
  const reach = face.size * 0.95
  const inside = (/** @type {number} */ x, /** @type {number} */ y) =>
    x >= 2 && y >= 2 && x < width - 2 && y < height - 2
  const steps = { before: 0, after: 0, count: 0 }
  for (let ray = 0; ray < 180; ray += 1) {
    const [dx, dy] = [Math.cos((ray * Math.PI) / 90), Math.sin((ray * Math.PI) / 90)]
    const at = (/** @type {Picture} */ picture, /** @type {number} */ r) => {
      const [x, y] = [Math.round(face.x + dx * r), Math.round(face.y - face.size * 0.08 + dy * r)]
      return inside(x, y) ? luma(picture, x, y) : null
    }
    for (let r = reach; r > face.size * 0.25; r -= 1) {
      let off = 0
      for (let tap = 0; tap < 3; tap += 1) off += (at(after, r - tap) ?? 0) - (at(before, r - tap) ?? 0)
      if (Math.abs(off) < 18) continue
      const half = Math.max(2, Math.round(unit * 2))
      const steepest = (/** @type {Picture} */ picture) => {
        let most = 0
        for (let s = r - half - 2; s < r + half; s += 1) {
          const [a, b] = [at(picture, s), at(picture, s + 1)]
          if (a !== null && b !== null) most = Math.max(most, Math.abs(a - b))
        }
        return most
      }
      steps.before += steepest(before)
      steps.after += steepest(after)
      steps.count += 1
      break
    }
  }
  if (steps.count > 30) pair.seam = { before: steps.before / steps.count, after: steps.after / steps.count }
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      if (Math.hypot(x - face.x, y - face.y) < reach) continue
      pair.outsideError += (luma(before, x, y) - luma(after, x, y)) ** 2
      pair.outsidePixels += 1
    }
  }
}

/** Both eyes look the same way: their mean. @param {readonly { x: number, y: number }[]} eyes */
const lookOf = (eyes) => ({ x: mean(eyes.map(({ x }) => x)), y: mean(eyes.map(({ y }) => y)) })

/** Degrees between two readings of an eye: an eyeball of 12 mm radius behind an opening 30 mm wide. */
function gazeError(/** @type {{x: number, y: number}} */ a, /** @type {{x: number, y: number}} */ b) {
  const degrees = (/** @type {number} */ share) =>
    (Math.asin(Math.max(-1, Math.min(1, (share * 30) / 12))) * 180) / Math.PI
  return Math.hypot(degrees(a.x) - degrees(b.x), degrees(a.y) - degrees(b.y))
}

/** @param {{ pairs: readonly FramePair[], shake: number }} watched @param {Float32Array} source identity of the face that was put on */
export function sumUp({ pairs, shake }, source) {
  const seen = pairs.filter((pair) => pair.before.length > 0)
  const identities = seen.flatMap((pair) => (pair.identity ? [pair.identity] : []))
  const distances = {
    before: median(identities.map(({ before }) => between(before, source))),
    after: median(identities.map(({ after }) => between(after, source))),
  }
  const errors = seen.map(
    (pair) => mean(pair.before.map((at, n) => distance(at, pair.after[n] ?? at))) / eyeDistance(pair.before),
  )
  const openness = seen.map((pair) => mean(pair.eyesBefore.map(({ open }) => open)))
  const shut = median(openness) * 0.6
  const blinks = seen.map((pair, at) => [openness[at] ?? 0, mean(pair.eyesAfter.map(({ open }) => open))])
  // At the very bound, the judge's own noise decides: a frame counts only when it is clear in the input.
  const clear = blinks.filter(([before = 0]) => Math.abs(before - shut) > shut * 0.08)
  const agree = clear.filter(([before = 0, after = 0]) => before < shut === after < shut).length
  const shutFrames = blinks.filter(([before = 0]) => before < shut).length
  const usual = [median(openness), median(blinks.map(([, after = 0]) => after))]
  const alike = blinks.filter(
    ([before = 0, after = 0]) => Math.abs(before / (usual[0] ?? 1) - after / (usual[1] ?? 1)) < 0.12,
  )
  const lidsAlike = alike.length / Math.max(1, blinks.length)
  const open = seen.filter((_, at) => (openness[at] ?? 0) > shut)
  const gaze = open.map((pair) => gazeError(lookOf(pair.eyesBefore), lookOf(pair.eyesAfter)))
  const seams = seen.flatMap((pair) => (pair.seam ? [pair.seam] : []))
  const outside = mean(seen.map((pair) => pair.outsideError / Math.max(1, pair.outsidePixels)))
  return {
    frames: pairs.length,
    judged: seen.length,
    distanceBefore: distances.before,
    distanceAfter: distances.after,
    similarityRise: similarity(distances.after) - similarity(distances.before),
    landmarkError: mean(errors),
    landmarkErrorWorst: Math.max(0, ...errors),
    shutFrames,
    // Without a blink, that lids move alike is all there is to see: each clip's openness in parts of its own median.
    blinkAgreement: shutFrames === 0 ? lidsAlike : agree / clear.length,
    gazeDegrees: mean(gaze),
    jitterRatio: shake,
    seamRatio: mean(seams.map(({ after }) => after)) / Math.max(0.1, mean(seams.map(({ before }) => before))),
    outsideDb: outside === 0 ? 99 : 10 * Math.log10(255 ** 2 / outside),
  }
}
