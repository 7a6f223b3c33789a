import { describe, expect, it } from 'vitest'
import type { Clip } from '../../../src/shared/people/people.ts'
import { clustersOf } from '../../../src/renderer/engine/people/clusters.ts'
import { Jumps } from '../../../src/renderer/engine/people/jumps.ts'
import { Looks } from '../../../src/renderer/engine/people/looks.ts'
import { peopleOf } from '../../../src/renderer/engine/people/people-of.ts'
import {
  addEmbedding,
  Tracklets,
  type SampledFace,
  type Tracklet,
} from '../../../src/renderer/engine/people/tracklets.ts'
import { PersonPath } from '../../../src/renderer/engine/track/person-path.ts'

const usual = Float32Array.from({ length: 49 }, (_, at) => 100 + 40 * Math.sin(at))
/** The light on somebody else's face. */
const other = usual.map((value, at) => (at % 3 === 0 ? 255 - value : value / 2))
const face = (x: number, size = 100, light = usual): SampledFace => ({
  ...{ region: { x, y: 100, size, angle: 0 }, light },
})
/** A person's embedding: mostly their own axis, with a share of everybody's. */
const looks = (person: number, noise = 0.2): Float32Array => {
  const vector = Float32Array.from({ length: 8 }, (_, axis) => (axis === person ? 1 : noise / 2))
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
const idsOf = (all: readonly (Tracklet | { tracklet: Tracklet })[]): number[] =>
  all.map((one) => ('tracklet' in one ? one.tracklet : one).id)

describe('tracklets', () => {
  it('follow two people who pass at a distance', () => {
    const tracklets = new Tracklets()
    for (let at = 0; at < 8; at += 1) tracklets.add(at * 400, [face(100 + at * 20), face(700 - at * 20)])
    expect(tracklets.all).toHaveLength(2)
    expect(tracklets.all.map(({ places }) => places.length)).toEqual([8, 8])
  })

  it('begin anew where two people meet, so that nobody continues as the other', () => {
    const tracklets = new Tracklets()
    const found = [0, 1, 2, 3, 4].map((at) => idsOf(tracklets.add(at * 400, [face(200), face(320 - at * 30)])))
    expect(found[2]).toEqual([0, 1])
    // Both are at one place.
    expect(found[4]?.every((id) => id > 1)).toBe(true)
  })

  it('end at a cut, after a second without the face, and where the size jumps', () => {
    const tracklets = new Tracklets()
    const ids = [tracklets.add(0, [face(200)])]
    tracklets.cut()
    ids.push(tracklets.add(400, [face(200)]), tracklets.add(1600, [face(200)]), tracklets.add(2000, [face(200, 180)]))
    expect(ids.flatMap(idsOf)).toEqual([0, 1, 2, 3])
    expect(tracklets.all.map(({ shot }) => shot)).toEqual([0, 1, 1, 1])
  })

  it('say how much the light changed, and part a face that is somebody else', () => {
    const tracklets = new Tracklets()
    const [first] = tracklets.add(0, [face(200)])
    const darker = usual.map((value) => value * 0.8)
    expect(tracklets.add(400, [face(200, 100, darker)])[0]?.changed).toBeLessThan(0.05)
    const [joined] = tracklets.add(800, [face(200, 100, other)])
    expect(joined).toMatchObject({ tracklet: first?.tracklet })
    expect(joined?.changed).toBeGreaterThan(0.2)
    if (!first) throw new Error('one face gives one tracklet')
    expect(tracklets.partLast(first.tracklet)).toMatchObject({ id: 1, places: [[800, 200, 100, 100]] })
    expect(first.tracklet.places).toHaveLength(2)
    expect(idsOf(tracklets.add(1200, [face(200)]))).toEqual([1])
    expect(tracklets.add(1200, [face(900)])[0]?.isNew).toBe(true)
  })

  it('follow one who moves fast, unless it may be somebody else', () => {
    /** Somebody who stands still, then these faces. */
    const next = (faces: SampledFace[], { isKnown = true, others = [] as SampledFace[] } = {}): number[] => {
      const tracklets = new Tracklets()
      for (const ms of [0, 400]) {
        const joined = tracklets.add(ms, [face(200), ...others])
        if (isKnown) for (const { tracklet } of joined) addEmbedding(tracklet, looks(0), 1)
      }
      return idsOf(tracklets.add(800, faces))
    }
    expect(next([face(300)])).toEqual([0])
    expect(next([face(300, 100, other)])).toEqual([1])
    expect(next([face(300, 180)])).toEqual([1])
    expect(next([face(340)])).toEqual([1])
    expect(next([face(300), face(110)])).toEqual([1, 2])
    expect(next([face(300)], { others: [face(390)] })).toEqual([2])
    // Landmarks were never found: it may be no face.
    expect(next([face(300)], { isKnown: false })).toEqual([1])
  })

  it('give two faces at one place to nobody', () => {
    const tracklets = new Tracklets()
    tracklets.add(0, [face(200)])
    expect(idsOf(tracklets.add(400, [face(190), face(215)]))).toEqual([1, 2])
  })
})

/** Tracklets of `people[i]`, each in a shot of its own unless `together` is set. */
function seen(people: readonly number[], { together = false, weight = 1, noise = 0.2 } = {}): Tracklet[] {
  const tracklets = new Tracklets()
  people.forEach((person, at) => {
    if (!together) tracklets.cut()
    const [joined] = tracklets.add(together ? 0 : at * 1000, [face(100 + (together ? at * 300 : 0))])
    if (joined) addEmbedding(joined.tracklet, looks(person, noise), weight)
  })
  return tracklets.all
}

describe('looks', () => {
  const lit = Float32Array.from({ length: 49 }, (_, at) => 100 + 80 * Math.cos(3 * at))
  const picture = (): Promise<Blob> => Promise.resolve(new Blob())
  const person = (light = usual): Tracklet => ({ id: 0, shot: 0, places: [], light, sum: looks(0), weight: 1 })
  /** A person of whom a good look was taken at 0 ms. */
  const seenAtFirst = (): { all: Looks; tracklet: Tracklet } => {
    const [all, tracklet] = [new Looks(), person()]
    all.note(tracklet, 0, 100, 1, picture)
    return { all, tracklet }
  }

  it('are due for a new face, a larger one, and after six, twelve … seconds', () => {
    const { all, tracklet } = seenAtFirst()
    const dueAt = (ms: number, size = 100): boolean => all.isDue({ tracklet, changed: 0 }, ms, size, false)
    expect(all.isDue({ tracklet: person(), changed: 0 }, 0, 100, false)).toBe(true)
    expect([dueAt(400), dueAt(400, 140), dueAt(5600), dueAt(6000)]).toEqual([false, true, false, true])
    all.note(tracklet, 7000, 100, 1, picture)
    expect([dueAt(13_600), dueAt(14_000)]).toEqual([false, true])
  })

  it('are due when light and dark change, but not back to what they were at a look', () => {
    const { all, tracklet } = seenAtFirst()
    const changed = 0.5
    expect(all.isDue({ tracklet, changed }, 400, 100, false)).toBe(false)
    tracklet.light = lit
    expect(all.isDue({ tracklet, changed }, 400, 100, false)).toBe(true)
    all.note(tracklet, 400, 100, 1, picture)
    tracklet.light = usual
    expect(all.isDue({ tracklet, changed }, 800, 100, false)).toBe(false)
  })

  it('are due after a much smaller change where the picture jumped', () => {
    const { all, tracklet } = seenAtFirst()
    const dueWith = (changed: number, isJump: boolean): boolean => all.isDue({ tracklet, changed }, 400, 100, isJump)
    expect([dueWith(0.15, true), dueWith(0.08, true), dueWith(0.15, false)]).toEqual([true, false, false])
  })

  it('leave a known person’s face without landmarks to them, and begin anew with the first that is a face', () => {
    const { all, tracklet } = seenAtFirst()
    all.miss(tracklet, 400, 100)
    expect(all.isOther(tracklet, { quality: 1, vector: looks(0) })).toBe(false)
    expect(all.isOther(tracklet, { quality: 1, vector: looks(1) })).toBe(true)
    const none = person()
    for (const ms of [0, 400]) all.miss(none, ms, 100)
    expect(all.isOther(none, { quality: 1, vector: looks(0) })).toBe(true)
  })

  it('without a face are repeated once at the next sample, then as usual', () => {
    const { all, tracklet } = seenAtFirst()
    const none = person()
    const dueAt = (one: Tracklet, ms: number): boolean => all.isDue({ tracklet: one, changed: 0 }, ms, 100, false)
    for (const one of [tracklet, none]) {
      all.miss(one, 6000, 100)
      expect(dueAt(one, 6400)).toBe(true)
      all.miss(one, 6400, 100)
    }
    expect([7600, 8000].map((ms) => dueAt(none, ms))).toEqual([false, true])
    expect([8000, 12_400, 12_800].map((ms) => dueAt(tracklet, ms))).toEqual([false, false, true])
    all.note(tracklet, 12_800, 100, 1, picture)
    expect(dueAt(tracklet, 13_200)).toBe(false)
    all.miss(tracklet, 26_000, 100)
    expect(dueAt(tracklet, 26_400)).toBe(true)
  })

  it('leave a face that only the first one missed to its tracklet, whoever it is', () => {
    const [all, tracklet] = [new Looks(), person()]
    all.miss(tracklet, 0, 100)
    expect(all.isOther(tracklet, { quality: 1, vector: looks(1) })).toBe(false)
  })

  it('keep the best picture', async () => {
    const [all, tracklet] = [new Looks(), person()]
    for (const [at, quality] of [0.4, 0.9, 0.5].entries())
      all.note(tracklet, at * 400, 100, quality, () => Promise.resolve(new Blob([String(quality)])))
    const worse = person()
    all.note(worse, 0, 100, 0.6, () => Promise.resolve(new Blob(['0.6'])))
    expect(await (await all.pictureOf([person(), worse, tracklet]))?.text()).toBe('0.9')
    expect(all.pictureOf([person()])).toBeNull()
  })
})

it('jumps are single frames, not each frame while the camera moves', () => {
  const jumps = new Jumps()
  const still = Array.from({ length: 20 }, () => 0.3)
  const found = [...still, 4, ...still, 9, 9, 9, 9, ...still, 4].map((difference) => jumps.isJump(difference))
  expect(found.flatMap((isJump, at) => (isJump ? [at] : []))).toEqual([20, 41, 65])
})

describe('clusters', () => {
  it('join the tracklets of each person over cuts', () => {
    const clusters = clustersOf(seen([0, 1, 0, 2, 1, 0]))
    expect(clusters.map(idsOf).sort()).toEqual([[0, 2, 5], [1, 4], [3]])
  })

  it('never join two faces of one frame, however alike they are', () => {
    const tracklets = new Tracklets()
    for (const { tracklet } of tracklets.add(0, [face(100), face(500)])) addEmbedding(tracklet, looks(0), 1)
    expect(clustersOf(tracklets.all)).toHaveLength(2)
  })

  it('leave a poor picture to nobody if it is like two people', () => {
    const sum = Float32Array.from([0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0])
    const poor: Tracklet = { id: 9, shot: 9, places: [], light: usual, sum, weight: 0.1 }
    expect(clustersOf([...seen([0, 1]), poor]).map(idsOf)).toEqual([[0], [1]])
  })

  it('are none without embeddings', () => {
    const tracklets = new Tracklets()
    tracklets.add(0, [face(100)])
    expect(clustersOf(tracklets.all)).toEqual([])
    expect(clustersOf([])).toEqual([])
  })
})

describe('people', () => {
  const video = { cuts: [3000], durationMs: 5200 }
  /** Samples of each 400 ms. */
  const samples = (from: number, to: number, shot: number, id: number, size = 100): Tracklet => {
    const places: Tracklet['places'] = []
    for (let ms = from; ms <= to; ms += 400) places.push([ms, 10, 10, size])
    return { id, shot, places, light: null, sum: looks(0), weight: 1 }
  }

  it('have a clip for each shot, up to its cuts and the end of the video', () => {
    const [person] = peopleOf([[samples(1000, 2800, 0, 4), samples(3000, 5000, 1, 7)]], video, 400)
    expect(person?.clips.map(({ id, fromMs, toMs }) => [id, fromMs, toMs])).toEqual([
      [4, 600, 3000],
      [7, 3000, 5200],
    ])
  })

  it('are ordered by time and size on the screen, and leave fleeting ones out', () => {
    const small = samples(0, 2800, 0, 1, 40)
    const large = samples(0, 2000, 0, 2, 200)
    const fleeting = samples(0, 0, 0, 3, 400)
    const people = peopleOf([[small], [large], [fleeting]], video, 400)
    expect(people.map(({ clips }) => clips[0]?.id)).toEqual([2, 1])
  })
})

describe('a person’s path', () => {
  const clip = (id: number, places: Clip['places'], fromMs = 0, toMs = 4000): Clip => ({ id, fromMs, toMs, places })
  const own = clip(0, [
    [0, 100, 50, 80],
    [400, 140, 50, 80],
    [2400, 340, 50, 80],
  ])

  it('is straight between two places, and unknown far from them or outside of the clip', () => {
    const path = new PersonPath([own], [], 10)
    expect(path.at(10.2)?.x).toBeCloseTo(120)
    expect(path.at(11.4)).toBeNull()
    expect(path.at(12.6)?.x).toBeCloseTo(340)
    expect(path.at(14)).toBeNull()
    expect(path.at(9.9)).toBeNull()
  })

  it('takes no face elsewhere, of another size, or nearer to somebody else', () => {
    const path = new PersonPath([own], [clip(1, [[0, 150, 50, 80]])], 0)
    const at = (x: number, size = 80): boolean => path.isOwn({ x, y: 50, size, angle: 0 }, 0)
    expect([at(100), at(120), at(130), at(160), at(100, 150)]).toEqual([true, true, false, false, false])
  })

  it('says whether the person was seen before and after, and how far the next one is', () => {
    const path = new PersonPath([own], [clip(1, [[0, 180, 50, 80]])], 10)
    expect([10, 10.4, 11.4, 12.4].map((time) => path.isThere(time))).toEqual([true, true, false, true])
    expect(path.apart(10)).toBeCloseTo(1)
    expect(path.apart(11.4)).toBe(Infinity)
    expect(new PersonPath([own], [], 10).apart(10)).toBe(Infinity)
  })

  it('ends where another covers the person', () => {
    const other = clip(1, [
      [0, 500, 50, 90],
      [800, 180, 50, 90],
    ])
    const path = new PersonPath([own], [other], 0)
    expect(path.at(0.4)).not.toBeNull()
    expect(path.at(0.8)).toBeNull()
  })
})
