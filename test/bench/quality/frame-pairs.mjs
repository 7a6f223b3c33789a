/** @file Looks at every frame of a clip and of its swap, and notes what the gates need. */
import { measureEdge, measureOutside } from './edge.mjs'
import { Inside } from './inside.mjs'
import { centre, distance, eyeDistance, mean } from './numbers.mjs'
import { measureOcclusion } from './occlusion.mjs'
import { squareOf, squaresAbout, turnOf } from './judges.mjs'
import { inverse, place } from './scenes/picture.mjs'
import { Shake } from './shake.mjs'

/** @typedef {import('./judges.mjs').Picture} Picture @typedef {import('./judges.mjs').Point} Point */
/** @typedef {import('./scenes/pose.mjs').Pose} Pose */
/** @typedef {{ before: number, after: number }} Both */
/** @typedef {{ x: number, y: number, eyes: number, turn: number }} Place of a face */

/** Identity is asked for at this many moments of a clip. */
const identityMoments = 12

/** How eyes are cut for the iris model. @param {readonly Point[]} points of one eye @param {number} turn */
export const eyeSquare = (points, turn) => {
  const [x, y] = centre([points[0] ?? [0, 0], points[3] ?? [0, 0]])
  return { x, y, size: distance(points[0] ?? [0, 0], points[3] ?? [0, 0]) * 2.3, turn }
}

/** @typedef {{ points: readonly Point[], open: number }} Reading the 68 points, and both lids' mean openness */

/** What one frame and its swap show. */
export class FramePair {
  /** @type {Place | null} */ place = null
  /** @type {Pose | null} */ pose = null
  /** @type {Point[]} */ before = []
  /** @type {Point[]} */ after = []
  /** @type {{ open: number, x: number, y: number }[]} */ eyesBefore = []
  /** @type {{ open: number, x: number, y: number }[]} */ eyesAfter = []
  /** What the judge reads of the input as it is and mirrored: they differ by its error. @type {Reading[]} */ reads = []
  /**
   * Both lids' mean openness by both reads: the iris model is made for one of the eyes, and errs on the other.
   */
  lids = { before: 0, after: 0 }
  /** @type {{ before: Float32Array, after: Float32Array } | null} */ identity = null
  /** @type {Both | null} */ seam = null
  /** @type {ReturnType<Inside['face']> | null} */ inside = null
  /** @type {ReturnType<typeof measureOcclusion> | null} */ occlusion = null
  /** How far somebody else's face was changed, in levels. @type {number | null} */ bystander = null
  outsideError = 0
  outsidePixels = 0
}

/**
 * @typedef {object} Videos
 * @property {AsyncIterable<Picture>} inputs
 * @property {AsyncIterable<Picture>} outputs
 * @property {AsyncIterable<Picture>} [masks] what is in front of the face
 * @property {{ inputs: AsyncIterable<Picture>, outputs: AsyncIterable<Picture> }} [bare] the same without it, and its swap
 * @property {number} frames
 * @property {(index: number) => Pose | null} [pose] where the face is, when that is known
 * @property {(index: number) => Pose} [bystander]
 * @property {(index: number) => boolean} [judged] frames that faces are compared on
 * @property {number} [each] only every so manieth frame is compared; needs `pose`
 * @property {boolean} [isFine] landmarks are read in several squares, which takes seven times as long
 */

/** Reads several videos in step. @param {readonly AsyncIterable<Picture>[]} videos @returns {AsyncGenerator<Picture[]>} */
async function* together(videos) {
  const readers = videos.map((video) => video[Symbol.asyncIterator]())
  try {
    for (;;) {
      const next = await Promise.all(readers.map((reader) => reader.next()))
      if (next.some(({ done }) => done)) return
      yield next.map(({ value }) => value)
    }
  } finally {
    await Promise.all(readers.map((reader) => reader.return?.(undefined)))
  }
}

/** Where the judge looks when it is told where the face is. @param {Pose} pose */
const squareAt = ({ x, y, eyes, turn }) => ({
  x: x - Math.sin(turn) * eyes * 0.3,
  y: y + Math.cos(turn) * eyes * 0.3,
  size: eyes * 2.8,
  turn,
})

/** Where points go when their face moves. @param {readonly Point[]} points @param {Pose} from @param {Pose} to @returns {Point[]} */
function moved(points, from, to) {
  const back = inverse(from.where)
  return points.map(([x, y]) => place(to.where, ...place(back, x, y)))
}

/** @param {readonly Point[]} points @returns {Place} */
function placeOf(points) {
  const [x, y] = centre(points.slice(27))
  return { x, y, eyes: eyeDistance(points), turn: turnOf(points) }
}

/**
 * @param {import('./judges.mjs').Judges} judges @param {Videos} videos
 * @param {(index: number, before: Picture, after: Picture, pair: FramePair) => void} [see]
 */
export async function measureFrames(
  judges,
  { inputs, outputs, masks, bare, frames, pose, bystander, judged, each = 1, isFine = false },
  see,
) {
  /** @type {FramePair[]} */
  const pairs = []
  const every = each * Math.max(1, Math.floor(frames / identityMoments / each))
  /** @type {Point[] | null} */
  let last = null
  /** @type {Pose | null} */
  let lastPose = null
  const shake = new Shake()
  const inside = new Inside()
  const videos = [inputs, outputs, ...(masks ? [masks] : []), ...(bare ? [bare.inputs, bare.outputs] : [])]
  for await (const [before, after, ...others] of together(videos)) {
    if (!before || !after) break
    const index = pairs.length
    const pair = new FramePair()
    const mask = masks ? others.shift() : undefined
    const known = pose?.(index) ?? null
    pair.pose = known
    const skipped = judged?.(index) === false || (pose && !known)
    const passed = !skipped && index % each !== 0 && last !== null && known !== null
    const found =
      skipped || passed ? null : last ? squareOf(last, 1.2) : known ? squareAt(known) : await judges.detect(before)
    if (found) {
      // Both are looked at in the same square, so that only what differs in the face differs.
      const square = last ? found : squareOf(await judges.landmarks(before, found), 1.2)
      const [was, is] = await judges.landmarksTwice([before, after], square, isFine)
      if (!was || !is) throw new Error('the judge read fewer pictures than it was given')
      pair.before = was.mean
      pair.after = is.mean
      const eyes = [36, 42].map((at) => eyeSquare(was.plain.slice(at, at + 6), turnOf(was.plain)))
      const cuts = [before, after].flatMap((picture) =>
        eyes.flatMap((eye) => squaresAbout(eye, isFine).map((square) => ({ picture, square }))),
      )
      const looks = await judges.eyes([...cuts, ...cuts.map((cut) => ({ ...cut, isMirrored: true }))])
      const quarter = cuts.length / 2
      const [lidsBefore, lidsAfter, mirroredBefore, mirroredAfter] = [0, 1, 2, 3].map((at) =>
        looks.slice(at * quarter, (at + 1) * quarter),
      )
      // The square itself comes first for either eye.
      const plain = (/** @type {typeof looks} */ some) => [0, quarter / 2].flatMap((at) => some[at] ?? [])
      const openness = (/** @type {(typeof looks | undefined)[]} */ ...some) =>
        mean(some.flatMap((one) => (one ?? []).map(({ open }) => open)))
      pair.eyesBefore = plain(lidsBefore ?? [])
      pair.eyesAfter = plain(lidsAfter ?? [])
      pair.reads = [
        { points: was.plain, open: openness(lidsBefore) },
        { points: was.mirrored, open: openness(mirroredBefore) },
      ]
      pair.lids = { before: openness(lidsBefore, mirroredBefore), after: openness(lidsAfter, mirroredAfter) }
      if (index % every === 0) {
        const [a, b] = [await judges.identity(before, was.plain), await judges.identity(after, is.plain)]
        pair.identity = { before: a, after: b }
      }
      measureEdge(before, after, pair)
      shake.add(before, after, pair.before)
      last = pair.before
    } else if (passed && last && known && lastPose) {
      last = moved(last, lastPose, known)
      shake.add(before, after, last)
    } else {
      shake.forget()
      last = null
    }
    lastPose = known
    const points = pair.before.length > 0 ? placeOf(pair.before) : null
    pair.place = known ?? points
    if (pair.place) {
      pair.inside = inside.face(before, after, pair.place, mask)
      measureOutside(before, after, pair.place, pair)
      if (mask) pair.occlusion = measureOcclusion(before, after, mask, pair.place, others)
    }
    const other = bystander?.(index)
    if (other) pair.bystander = inside.face(before, after, { ...other, eyes: other.eyes * 0.8 })?.change ?? null
    see?.(index, before, after, pair)
    pairs.push(pair)
    // A judge that lost the face looks for it anew now and then.
    if (pairs.length % (pose ? 10 : 50) === 0) last = null
    if (pairs.length >= frames) break
  }
  return { pairs, shake: shake.ratio }
}
