/**
 * @file Judges a scan of a video whose people are known, frame by frame.
 *
 * A face of the scan and a true face are the same if their centres are at most half a face apart. Some true faces count
 * neither way (`isRequired` false), for example while they are hidden.
 */

/** @typedef {import('../../../src/shared/people/people.ts').PeopleScan} PeopleScan */
/** @typedef {import('../../../src/shared/people/people.ts').Clip} Clip */
/** A face in a frame: the centre and side of its region (face/region.ts). @typedef {{ x: number, y: number, size: number }} Square */
/** @typedef {Square & { person: string, isRequired: boolean }} TrueFace */
/** @typedef {{ fps: number, frames: TrueFace[][] }} Truth */
/**
 * @typedef {object} Judgement
 * @property {number} there people who must be found
 * @property {number} found those who are
 * @property {number} split people of the scan beyond one for each true person
 * @property {number} falsePeople people of the scan whose faces are mostly none
 * @property {number} switches times at which a true person becomes another person of the scan
 * @property {number} missed share of the required faces that the scan doesn't have
 * @property {number} f1 pairwise: two faces belong together, or don't, in the scan as in truth
 * @property {boolean} pass
 */

export const minF1 = 0.98
/** A face is expected up to this long before and after it was seen, as in track/person-path.ts. */
const expectedMs = 900
/** In sizes of the true face. */
const maxAway = 0.5
const maxScale = 2

/**
 * Where a clip has its face at a time; null if nowhere. `isClaimed` is false before the first and after the last place, and
 * between two places far apart in time: there the face may be gone.
 * @param {Clip} clip @param {number} ms @returns {(Square & { isClaimed: boolean }) | null}
 */
export function faceAt({ fromMs, toMs, places }, ms) {
  if (ms < fromMs - 0.5 || ms >= toMs - 0.5) return null
  const next = places.findIndex(([at]) => at > ms)
  const before = next < 0 ? places.at(-1) : places[next - 1]
  const after = next < 0 ? undefined : places[next]
  const [first, second] = [before ?? after, after ?? before]
  if (!first || !second || Math.min(Math.abs(ms - first[0]), Math.abs(second[0] - ms)) > expectedMs) return null
  const share = first === second ? 0 : (ms - first[0]) / (second[0] - first[0])
  const [x = 0, y = 0, size = 0] = [1, 2, 3].map((axis) => {
    const [a = 0, b = 0] = [first[axis], second[axis]]
    return a + (b - a) * share
  })
  return { x, y, size, isClaimed: ms === first[0] || (first !== second && second[0] - first[0] <= expectedMs) }
}

/** Pairs true faces with the scan's, nearest first. @param {readonly Square[]} faces @param {readonly Square[]} found @returns {Map<number, number>} index of the true face for each of the scan's */
function match(faces, found) {
  const near = found.flatMap((one, index) =>
    faces.map((face, at) => ({
      index,
      at,
      away: Math.hypot(one.x - face.x, one.y - face.y) / face.size,
      scale: Math.max(one.size / face.size, face.size / one.size),
    })),
  )
  /** @type {Map<number, number>} */
  const pairs = new Map()
  const taken = new Set()
  for (const { index, at, away, scale } of near.sort((a, b) => a.away - b.away)) {
    if (away > maxAway || scale > maxScale || pairs.has(index) || taken.has(at)) continue
    pairs.set(index, at)
    taken.add(at)
  }
  return pairs
}

const pairsOf = (/** @type {number} */ count) => (count * (count - 1)) / 2
const sum = (/** @type {Iterable<number>} */ values) => [...values].reduce((total, value) => total + value, 0)
const add = (/** @type {Map<string, number>} */ counts, /** @type {string} */ key) =>
  void counts.set(key, (counts.get(key) ?? 0) + 1)

/** @param {Truth} truth @param {PeopleScan} scan @returns {Judgement} */
export function judge({ fps, frames }, scan) {
  /** Required faces by true person. @type {Map<string, number>} */
  const byTrue = new Map()
  /** Faces of the scan that are required or none, by person of the scan. @type {Map<string, number>} */
  const byFound = new Map()
  /** Required faces that the scan has, by both. @type {Map<string, number>} */
  const byBoth = new Map()
  /** All faces of the scan by its person and the true person, '' for none. @type {Map<string, number>[]} */
  const owners = scan.people.map(() => new Map())
  /** The person of the scan that a true person was last. @type {Map<string, number>} */
  const last = new Map()
  let [switches, missed] = [0, 0]
  for (const [index, faces] of frames.entries()) {
    const ms = Math.round((index * 1000) / fps)
    const found = scan.people.flatMap(({ clips }, person) =>
      clips.flatMap((clip) => {
        const face = faceAt(clip, ms)
        return face ? [{ ...face, person }] : []
      }),
    )
    const pairs = match(faces, found)
    for (const [at, { person, isClaimed }] of found.entries()) {
      const face = faces[pairs.get(at) ?? -1]
      if (face) add(owners[person] ?? new Map(), face.person)
      else if (isClaimed) {
        add(owners[person] ?? new Map(), '')
        add(byFound, String(person))
      }
    }
    const foundOf = new Map([...pairs].map(([at, face]) => [face, found[at]?.person]))
    for (const [at, { person, isRequired }] of faces.entries()) {
      if (!isRequired) continue
      add(byTrue, person)
      const as = foundOf.get(at)
      if (as === undefined) {
        missed += 1
        continue
      }
      add(byFound, String(as))
      add(byBoth, `${person} ${as}`)
      if ((last.get(person) ?? as) !== as) switches += 1
      last.set(person, as)
    }
  }
  const required = sum(byTrue.values())
  const alike = sum([...byBoth.values()].map(pairsOf))
  const all = sum([...byTrue.values()].map(pairsOf)) + sum([...byFound.values()].map(pairsOf))
  const f1 = all === 0 ? 1 : (2 * alike) / all
  const real = owners.map((counts) => {
    const [best] = [...counts].filter(([person]) => person !== '').sort((a, b) => b[1] - a[1])
    return best && best[1] >= sum(counts.values()) / 2 ? best[0] : null
  })
  const found = new Set(real.filter((person) => person !== null && byTrue.has(person))).size
  const falsePeople = real.filter((person) => person === null).length
  const split = real.length - falsePeople - new Set(real.filter((person) => person !== null)).size
  const there = byTrue.size
  const pass = found === there && split === 0 && falsePeople === 0 && switches === 0 && f1 >= minF1
  return { there, found, split, falsePeople, switches, missed: required === 0 ? 0 : missed / required, f1, pass }
}

/**
 * A scan without a mistake, one place in `each` frames.
 * @param {Truth} truth @param {number} [each] @returns {PeopleScan}
 */
export function perfectScan({ fps, frames }, each = 10) {
  const msOf = (/** @type {number} */ index) => Math.round((index * 1000) / fps)
  /** Runs of frames in which a person is required and doesn't jump. @type {Map<string, { index: number, face: TrueFace }[][]>} */
  const people = new Map()
  for (const [index, faces] of frames.entries()) {
    for (const face of faces.filter(({ isRequired }) => isRequired)) {
      const runs = people.get(face.person) ?? []
      people.set(face.person, runs)
      const last = runs.at(-1)?.at(-1)
      const jump = last ? Math.hypot(face.x - last.face.x, face.y - last.face.y) / face.size : 0
      if (last?.index === index - 1 && jump < maxAway / 2) runs.at(-1)?.push({ index, face })
      else runs.push([{ index, face }])
    }
  }
  let id = 0
  /** @param {{ index: number, face: TrueFace }[]} run @returns {Clip} */
  const clipOf = (run) => ({
    id: id++,
    fromMs: msOf(run[0]?.index ?? 0),
    toMs: msOf((run.at(-1)?.index ?? 0) + 1),
    places: run
      .filter((_, at) => at % each === 0 || at === run.length - 1)
      .map(({ index, face: { x, y, size } }) => [msOf(index), Math.round(x), Math.round(y), Math.round(size)]),
  })
  return { people: [...people.values()].map((runs) => ({ clips: runs.map(clipOf) })), scannedMs: msOf(frames.length) }
}

/** A clip up to a time and from it on. @param {Clip} clip @param {number} ms @param {number} id of the second @returns {[Clip | null, Clip | null]} */
function cut(clip, ms, id) {
  const [before, after] = [clip.places.filter(([at]) => at < ms), clip.places.filter(([at]) => at >= ms)]
  return [
    before.length > 0 ? { ...clip, toMs: Math.min(clip.toMs, ms), places: before } : null,
    after.length > 0 ? { ...clip, id, fromMs: Math.max(clip.fromMs, ms), places: after } : null,
  ]
}

/** The clips of a person before and from the middle of the video. @param {PeopleScan} scan @param {number} person */
function halves({ people, scannedMs }, person) {
  const parts = (people[person]?.clips ?? []).map((clip) => cut(clip, scannedMs / 2, clip.id + 1000))
  return {
    early: parts.flatMap(([early]) => early ?? []),
    late: parts.flatMap(([, late]) => late ?? []),
  }
}

/** Mistakes that a judge has to notice, by name. @type {Record<string, (scan: PeopleScan) => PeopleScan>} */
export const mistakes = {
  exchanged: (scan) => {
    const [one, other] = [halves(scan, 0), halves(scan, 1)]
    const people = [{ clips: [...one.early, ...other.late] }, { clips: [...other.early, ...one.late] }]
    return { ...scan, people: [...people, ...scan.people.slice(2)].filter(({ clips }) => clips.length > 0) }
  },
  split: (scan) => {
    const { early, late } = halves(scan, 0)
    return { ...scan, people: [{ clips: early }, { clips: late }, ...scan.people.slice(1)] }
  },
  merged: (scan) => ({
    ...scan,
    people: [{ clips: scan.people.slice(0, 2).flatMap(({ clips }) => clips) }, ...scan.people.slice(2)],
  }),
  lost: (scan) => ({ ...scan, people: scan.people.slice(0, -1) }),
  'a false person': (scan) => {
    const { scannedMs: toMs } = scan
    const places = /** @type {Clip['places']} */ ([0, toMs - 40].map((ms) => [ms, 20, 20, 60]))
    for (let ms = 800; ms < toMs - 40; ms += 800) places.splice(-1, 0, [ms, 20, 20, 60])
    return { ...scan, people: [...scan.people, { clips: [{ id: 9999, fromMs: 0, toMs, places }] }] }
  },
}
