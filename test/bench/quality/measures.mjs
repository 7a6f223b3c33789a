/** @file What the gates are about, as numbers over a clip and its swap. */
import { expressionOf } from './expression.mjs'
import { samePerson } from './judges.mjs'
import { distance, eyeDistance, mean, median, quantile } from './numbers.mjs'

/** @typedef {import('./frame-pairs.mjs').FramePair} FramePair @typedef {import('./judges.mjs').Point} Point */

/** Distance of two identities. @param {Float32Array} a @param {Float32Array} b */
const between = (a, b) => Math.hypot(...a.map((value, at) => value - (b[at] ?? 0)))

/**
 * Similarity of two identities, 0…1, by the mapping that dlib's users know ("Calculating accuracy as a percentage" in the
 * notes of face_recognition): about a half at the bound for the same person, steep around it.
 * @param {number} apart
 */
function similarity(apart) {
  if (apart > samePerson) return Math.max(0, (1 - apart) / ((1 - samePerson) * 2))
  const straight = 1 - apart / (samePerson * 2)
  return straight + (1 - straight) * ((straight - 0.5) * 2) ** 0.2
}

/** Both eyes look the same way: their mean. @param {readonly { x: number, y: number }[]} eyes */
const lookOf = (eyes) => ({ x: mean(eyes.map(({ x }) => x)), y: mean(eyes.map(({ y }) => y)) })

/** Degrees aside and down between two looks: an eyeball of 12 mm radius behind an opening 30 mm wide. @param {FramePair} pair */
export function gazeOff({ eyesBefore, eyesAfter }) {
  const degrees = (/** @type {number} */ share) =>
    (Math.asin(Math.max(-1, Math.min(1, (share * 30) / 12))) * 180) / Math.PI
  const [a, b] = [lookOf(eyesBefore), lookOf(eyesAfter)]
  return { x: degrees(b.x) - degrees(a.x), y: degrees(b.y) - degrees(a.y) }
}

/** Mean distance of some of the points, in eye distances. @param {FramePair} pair @param {number} [from] */
export const landmarkError = ({ before, after }, from = 0) =>
  mean(before.slice(from).map((at, n) => distance(at, after[from + n] ?? at))) / eyeDistance(before)

/**
 * What the points' error is made of, in eye distances: `landmarkShape` is each point's usual offset over the clip (another
 * person's proportions), `landmarkMotion` what is left without it, and `judgeError` how far apart the judge's own reads
 * of the input are, as it is and mirrored.
 * @param {readonly FramePair[]} seen
 */
function landmarkParts(seen) {
  const offsets = seen.map(({ before, after }) => {
    const eyes = eyeDistance(before)
    return before.map(([x, y], n) => [((after[n]?.[0] ?? x) - x) / eyes, ((after[n]?.[1] ?? y) - y) / eyes])
  })
  const usual = Array.from({ length: 68 }, (_, n) =>
    [0, 1].map((axis) => median(offsets.map((frame) => frame[n]?.[axis] ?? 0))),
  )
  const apart = (/** @type {number[]} */ [x = 0, y = 0], /** @type {number[]} */ [u = 0, v = 0]) =>
    Math.hypot(x - u, y - v)
  return {
    landmarkShape: mean(usual.map((offset) => apart(offset, [0, 0]))),
    landmarkMotion: mean(offsets.map((frame) => mean(frame.map((offset, n) => apart(offset, usual[n] ?? []))))),
    judgeError: mean(
      seen.map(({ before, reads: [plain, mirrored] }) =>
        plain && mirrored
          ? mean(plain.points.map((at, n) => distance(at, mirrored.points[n] ?? at))) / eyeDistance(before)
          : 0,
      ),
    ),
  }
}

/** How open the lids are, before and after. @param {FramePair} pair */
export const openness = ({ eyesBefore, eyesAfter }) => ({
  before: mean(eyesBefore.map(({ open }) => open)),
  after: mean(eyesAfter.map(({ open }) => open)),
})

/** @param {readonly FramePair[]} seen */
function lids(seen) {
  const opened = seen.map(openness)
  const usual = { before: median(opened.map(({ before }) => before)), after: median(opened.map(({ after }) => after)) }
  const shut = usual.before * 0.6
  const shutFrames = opened.filter(({ before }) => before < shut).length
  // At the very bound, the judge's own noise decides: a frame counts only when it is clear in the input.
  const clear = opened.filter(({ before }) => Math.abs(before - shut) > shut * 0.08)
  const agree = clear.filter(({ before, after }) => before < shut === after < shut).length
  const alike = opened.filter(({ before, after }) => Math.abs(before / usual.before - after / usual.after) < 0.12)
  // Lids that the scene shut for certain: as shut as the judge finds them in the input, within a fifth of an open eye.
  const forced = seen.flatMap((pair, at) => (pair.pose && pair.pose.shut >= 0.99 ? (opened[at] ?? []) : []))
  const stayShut = forced.filter(({ before, after }) => after / usual.after < before / usual.before + 0.2)
  return {
    shutFrames,
    // Without a blink, that lids move alike is all there is to see: each clip's openness in parts of its own median.
    blinkAgreement: shutFrames === 0 ? alike.length / Math.max(1, opened.length) : agree / Math.max(1, clear.length),
    forcedShut: forced.length,
    shutKept: forced.length === 0 ? 1 : stayShut.length / forced.length,
    isOpen: (/** @type {number} */ at) => (opened[at]?.before ?? 0) > shut,
  }
}

/** How much the swap changes, over time. @param {readonly FramePair[]} pairs @param {readonly number[]} cuts */
function lasting(pairs, cuts) {
  const found = pairs.map(({ inside }) => inside)
  const shots = [0, ...cuts].map((from, at) => ({ from, to: cuts[at] ?? pairs.length }))
  let [pop, popAt, afterCut] = [0, 0, Infinity]
  const absent = []
  const steps = []
  for (const { from, to } of shots) {
    const usual = quantile(
      found.slice(from, to).flatMap((one) => (one ? [one.change] : [])),
      0.8,
    )
    for (let at = from; at < to; at += 1) {
      const [last, now] = [at > from ? found[at - 1] : null, found[at]]
      if (!now) continue
      const share = now.change / Math.max(1, usual)
      if (share < 0.4 && isOwed(pairs, at, from, to)) absent.push(at)
      if (from > 0 && at < from + 2) afterCut = Math.min(afterCut, share)
      if (!last) continue
      const step = Math.abs(now.change - last.change) / Math.max(1, usual)
      if (step > pop) [pop, popAt] = [step, at]
      steps.push({
        input: Math.abs(now.before - last.before),
        off: Math.abs(now.after - last.after - now.before + last.before),
      })
    }
  }
  const far = pairs.flatMap(({ pose, inside }) => (pose && inside && Math.abs(pose.yaw) >= 70 ? [inside.change] : []))
  const usual = quantile(
    found.flatMap((one) => (one ? [one.change] : [])),
    0.8,
  )
  const all = found.flatMap((one) => (one ? [one] : []))
  return {
    pop,
    popAt,
    afterCut: afterCut === Infinity ? 1 : afterCut,
    absent: absent.length,
    firstAbsent: absent[0] ?? -1,
    profileLeft: far.length === 0 ? 0 : Math.max(...far) / Math.max(1, usual),
    lightError: mean(steps.map(({ off }) => off)) / Math.max(1, mean(steps.map(({ input }) => input))),
    wrongColour: mean(all.map(({ wrong }) => wrong)),
    roughness: mean(all.map(({ rough }) => rough.after)) / Math.max(0.1, mean(all.map(({ rough }) => rough.before))),
  }
}

/** A face that is in the picture and not covered. @param {FramePair} pair */
const isSeen = (pair) => pair.pose !== null && (pair.inside?.visible ?? 0) > 0.6

/** Frames over which a swap may come and go with a face: a change at once would be a pop. */
const fade = 4

/**
 * A frame on which the swap has to be there: nothing turns the face away, and it was and will be seen for as long as a fade
 * takes, or else the shot begins or ends in between.
 * @param {readonly FramePair[]} pairs @param {number} at @param {number} from of the shot @param {number} to its end
 */
const isOwed = (pairs, at, from, to) =>
  Math.abs(pairs[at]?.pose?.yaw ?? 90) <= 30 &&
  pairs.slice(Math.max(from, at - fade), Math.min(to, at + fade + 1)).every(isSeen)

/** @param {readonly FramePair[]} pairs */
function occlusion(pairs) {
  const sum = { covered: 0, altered: 0, clear: 0, left: 0 }
  for (const { occlusion: one } of pairs) {
    if (one) for (const key of /** @type {(keyof typeof sum)[]} */ (Object.keys(sum))) sum[key] += one[key]
  }
  return { altered: sum.altered / Math.max(1, sum.covered), leftOut: sum.left / Math.max(1, sum.clear) }
}

/**
 * @param {{ pairs: readonly FramePair[], shake: number }} watched
 * @param {Float32Array} source identity of the face that was put on @param {readonly number[]} [cuts]
 */
export function sumUp({ pairs, shake }, source, cuts = []) {
  const seen = pairs.filter((pair) => pair.before.length > 0)
  const identities = seen.flatMap((pair) => (pair.identity ? [pair.identity] : []))
  const distances = {
    before: median(identities.map(({ before }) => between(before, source))),
    after: median(identities.map(({ after }) => between(after, source))),
  }
  const errors = seen.map((pair) => landmarkError(pair))
  const { isOpen, ...lid } = lids(seen)
  const looks = seen.filter((_, at) => isOpen(at)).map(gazeOff)
  const usual = { x: median(looks.map(({ x }) => x)), y: median(looks.map(({ y }) => y)) }
  const seams = seen.flatMap((pair) => (pair.seam ? [pair.seam] : []))
  const outside = mean(
    pairs.flatMap((pair) => (pair.outsidePixels > 0 ? [pair.outsideError / pair.outsidePixels] : [])),
  )
  const bystander = pairs.flatMap((pair) => pair.bystander ?? [])
  return {
    frames: pairs.length,
    judged: seen.length,
    distanceBefore: distances.before,
    distanceAfter: distances.after,
    similarityRise: similarity(distances.after) - similarity(distances.before),
    landmarkError: mean(errors),
    landmarkErrorWorst: Math.max(0, ...errors),
    mouthError: mean(seen.map((pair) => landmarkError(pair, 48))),
    ...landmarkParts(seen),
    ...expressionOf(seen),
    ...lid,
    gazeDegrees: mean(looks.map(({ x, y }) => Math.hypot(x - usual.x, y - usual.y))),
    gazeAside: usual.x,
    gazeDown: usual.y,
    jitterRatio: shake,
    seamRatio: mean(seams.map(({ after }) => after)) / Math.max(0.1, mean(seams.map(({ before }) => before))),
    ...lasting(pairs, cuts),
    ...occlusion(pairs),
    /** Worst mean change of somebody else's face, in levels. */
    bystander: Math.max(0, ...bystander),
    outsideDb: outside === 0 ? 99 : 10 * Math.log10(255 ** 2 / outside),
  }
}
