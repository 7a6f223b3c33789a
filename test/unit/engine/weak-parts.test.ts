import { describe, expect, it } from 'vitest'
import { segmentSide } from '../../../src/renderer/engine/face/region.ts'
import {
  WeakParts,
  weakStateSchema,
  straysOf,
  type WeakFigures,
} from '../../../src/renderer/engine/jobs/frames/frame-quality.ts'
import {
  anchorsOf,
  coveredBy,
  coveredShare,
  projectOcclusions,
} from '../../../src/renderer/engine/occlusion/occlusion-map.ts'
import { segmentMap } from './face-crop.ts'
import { flat, points, size } from './flat-face.ts'

const good: WeakFigures = { yaw: 3, isFading: false, isThere: false, covered: 0, strays: 0.002, apart: Infinity }
const away: WeakFigures = { ...good, yaw: null, strays: 0 }
const fading: WeakFigures = { ...good, isFading: true }
const covered: WeakFigures = { ...good, covered: 0.4 }
const turned: WeakFigures = { ...good, yaw: -45 }
const unsteady: WeakFigures = { ...good, strays: 0.02 }
const near: WeakFigures = { ...good, apart: 0.3 }

/** The kinds of frames in `framesOf`. */
const figuresOf: Record<string, WeakFigures | null> = {
  ...{ good, away, fading, covered, turned, unsteady, near },
  coveredUnsteady: { ...covered, strays: 0.02 },
  coveredLeft: { ...good, covered: 0.2, yaw: 30 },
  coveredRight: { ...good, covered: 0.2, yaw: -30 },
  coveredAhead: { ...good, covered: 0.2, yaw: 20 },
  fadingTurned: { ...fading, yaw: 30 },
  fadingCovered: { ...fading, covered: 0.3, yaw: 30 },
  awayNear: { ...away, apart: 0.2 },
  awayThere: { ...away, isThere: true },
  /** Then there is nothing of the swap. */
  cut: null,
}
interface Frame {
  figures: WeakFigures[]
  isCut: boolean
}
/** Runs of frames that look alike, as "10 good, 4 fading". */
const framesOf = (runs: string): Frame[] =>
  runs.split(', ').flatMap((run) => {
    const [count = '', kind = ''] = run.split(' ')
    const figures = figuresOf[kind]
    if (figures === undefined) throw new Error(`no frames are ${kind}`)
    return Array.from({ length: Number(count) }, (_, at) => ({
      figures: figures ? [figures] : [],
      isCut: figures === null && at === 0,
    }))
  })
const ms = (index: number): number => index * 40

/** The weak parts as "kind from-to: frames", in frames. */
function found(frames: readonly Frame[], resumeAt = -1): string[] {
  let weak = new WeakParts()
  const saved: string[] = []
  for (const [index, { figures, isCut }] of frames.entries()) {
    if (index % 10 === 0) saved.push(JSON.stringify(weak.takeState()))
    if (index === resumeAt) {
      weak = new WeakParts()
      for (const state of saved) weak.takeUp(weakStateSchema.parse(JSON.parse(state)))
    }
    weak.add({ index, ms: ms(index) }, isCut, figures)
  }
  return weak
    .finish({ index: frames.length, ms: ms(frames.length) })
    .map(({ kind, fromMs, toMs, frames: count }) => `${kind} ${fromMs / 40}-${toMs / 40}: ${count}`)
}

describe('weak parts', () => {
  it.each<[string, runs: string, parts: string[]]>([
    ['are none in a calm video', '100 good', []],
    ['have a kind, an exclusive end and a number of frames', '10 good, 10 covered, 10 good', ['covered 10-20: 10']],
    ['reach the end of the video', '10 good, 10 turned', ['turned 10-20: 10']],
    ['are one across a short gap', '6 turned, 7 good, 6 turned', ['turned 0-19: 19']],
    ['are two across a longer one', '6 turned, 9 good, 6 turned', ['turned 0-6: 6', 'turned 15-21: 6']],
    ['are two across a cut', '6 turned, 1 cut, 6 turned', ['turned 0-6: 6', 'turned 7-13: 6']],
    ['are not made of a few frames', '10 good, 4 covered, 10 good, 4 unsteady, 10 good', []],
    [
      'don’t overlap: of two kinds the first one counts',
      '10 unsteady, 10 coveredUnsteady, 10 unsteady',
      ['unsteady 0-10: 10', 'covered 10-20: 10', 'unsteady 20-30: 10'],
    ],
    [
      'need more in front of a face that hides a part of itself',
      '10 coveredLeft, 10 coveredRight, 10 coveredAhead',
      ['covered 20-30: 10'],
    ],
    ['say that somebody else is near', '10 good, 10 near, 10 good', ['unsure 10-20: 10']],
  ])('%s', (_what, runs, parts) => expect(found(framesOf(runs))).toEqual(parts))

  it.each<[string, runs: string, parts: string[]]>([
    ['with the frames that fade', '20 good, 4 fading, 3 away, 4 fading, 20 good', ['lost 20-31: 11']],
    ['if the head turned away', '20 good, 4 fadingTurned, 40 away, 4 fading, 20 good', ['turned 20-68: 48']],
    ['if something came in front', '20 good, 4 fadingCovered, 10 away, 4 fading, 20 good', ['covered 20-38: 18']],
    ['if somebody else was there', '20 good, 4 fading, 10 awayNear, 4 fading, 20 good', ['unsure 20-38: 18']],
    ['not after a long absence', '20 good, 4 fading, 60 away, 4 fading, 20 good', []],
    ['not at the beginning', '10 away, 4 fading, 20 good', []],
    ['not at the end', '20 good, 4 fading, 10 away', []],
    ['not across a cut', '20 good, 4 fading, 10 away, 1 cut, 20 good', []],
    ['wherever a scan saw the person', '20 good, 10 awayThere, 10 away', ['lost 20-30: 10']],
  ])('show a face that is lost: %s', (_what, runs, parts) => expect(found(framesOf(runs))).toEqual(parts))

  it('are the same after a resume, wherever that is', () => {
    const frames = framesOf(
      '15 good, 7 turned, 4 good, 9 turned, 4 fading, 13 away, 4 fading, 8 unsteady, 6 covered, 1 cut, 12 near',
    )
    const whole = found(frames)
    expect(new Set(whole.map((part) => part.split(' ')[0])).size).toBe(5)
    for (let at = 10; at < frames.length; at += 10) expect(found(frames, at)).toEqual(whole)
  })

  it('are those of each face', () => {
    const weak = new WeakParts()
    for (let index = 0; index < 30; index += 1)
      weak.add({ index, ms: ms(index) }, false, [index < 10 ? covered : good, index >= 5 ? turned : good])
    expect(weak.finish({ index: 30, ms: 1200 })).toEqual([
      { kind: 'covered', face: 0, fromMs: 0, toMs: 400, frames: 10 },
      { kind: 'turned', face: 1, fromMs: 200, toMs: 1200, frames: 25 },
    ])
  })
})

describe('figures of a face', () => {
  const xy = flat(points)
  /** A map over the picture, covered where it is so said. */
  const cover = (isCovered: (x: number, y: number) => boolean) => ({
    share: segmentMap((column, row) => isCovered((column * size) / segmentSide, (row * size) / segmentSide)),
    toMap: { a: segmentSide / size, b: 0, c: 0, d: 0, e: segmentSide / size, f: 0 },
  })

  it('say how much of the middle of the face is covered', () => {
    const covered = (isCovered: (x: number, y: number) => boolean): number => {
      const { share, toMap } = cover(isCovered)
      return coveredShare(share, toMap, xy)
    }
    expect(covered(() => false)).toBe(0)
    expect(covered(() => true)).toBeCloseTo(1)
    expect(covered((x) => x < 128)).toBeGreaterThan(0.35)
    expect(covered((x) => x < 128)).toBeLessThan(0.65)
    // Hair over the forehead.
    expect(covered((_x, y) => y < 45)).toBe(0)
  })

  it('say it for a frame between two maps, too', () => {
    const map = (index: number, covered: number) => ({
      ...{ index, shot: 0, anchors: anchorsOf(xy), hasGlasses: false, covered },
      ...cover(() => true),
    })
    const coveredAt = (index: number): number =>
      coveredBy(projectOcclusions({ before: map(0, 0.2), after: map(8, 0.6) }, { index, shot: 0, reach: 4 }, xy))
    const wanted = [[0, 0.2], [4, 0.2], [6, 0.4], [8, 0.6]] as const // prettier-ignore
    for (const [index, share] of wanted) expect(coveredAt(index)).toBeCloseTo(share)
    expect(coveredBy([])).toBe(0)
  })

  it('say how far the landmarks are from their smoothed place', () => {
    const moved = points.map((value, at) => value + ([3, 4, 0][at % 3] ?? 0))
    expect(straysOf(moved, points)).toBeCloseTo(5)
  })
})

it('resumes where only the second of two faces was seen', () => {
  const weak = new WeakParts()
  weak.add({ index: 0, ms: 0 }, true, [away, good])
  weak.add({ index: 1, ms: 40 }, false, [away, away])
  const stored = JSON.stringify(weak.takeState())
  expect(weakStateSchema.parse(JSON.parse(stored))).toMatchObject({
    seen: [false, true],
    gaps: [null, { index: 1 }],
  })
})
