import { beforeEach, describe, expect, it } from 'vitest'
import { allPoints, eyes } from '../../../src/renderer/engine/face/topology.ts'
import type { ColorModel, Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { segmentSide } from '../../../src/renderer/engine/face/region.ts'
import type { ProjectedOcclusion } from '../../../src/renderer/engine/occlusion/occlusion-map.ts'
import { drawEyes } from '../../../src/renderer/engine/render/eye-layer.ts'
import { Lids } from '../../../src/renderer/engine/render/eye-mesh.ts'
import type { EyeTones } from '../../../src/renderer/engine/face/eye-tones.ts'
import { SourceFace, type SourceCut } from '../../../src/renderer/engine/source/source-face.ts'
import { eyesOf } from '../../../src/renderer/engine/source/source-eyes.ts'
import { frameOf, segmentMap } from './face-crop.ts'
import { flat } from './flat-face.ts'

const side = 240
/** Both eyes as ellipses, 60 pixels wide; x and y of their middles. */
const middles = [
  [70, 120],
  [170, 120],
] as const
const radius = 15

/** x, y, z of landmarks. @param open heights of the eyes @param gaze how far the irises are from the middle */
function landmarks(open: readonly [number, number], gaze = 0): Float32Array {
  const points = new Float32Array(allPoints * 3)
  for (const [index, { lids, iris }] of eyes.entries()) {
    const [x, y] = middles[index] ?? [0, 0]
    // The right eye's loop starts at its inner corner, on the right; the left one's at its outer, also on the right.
    for (const [at, point] of lids.entries()) {
      const angle = (at / lids.length) * 2 * Math.PI
      points.set([x + Math.cos(angle) * 30, y - Math.sin(angle) * ((open[index] ?? 0) / 2)], point * 3)
    }
    const around = [
      [0, 0],
      [1, 0],
      [0, -1],
      [-1, 0],
      [0, 1],
    ] as const
    for (const [at, point] of iris.entries()) {
      const [dx, dy] = around[at] ?? [0, 0]
      points.set([x + gaze + dx * radius, y + dy * radius], point * 3)
    }
  }
  return points
}

/** Skin of 200, white of 240 and irises of 40, each as far as the lids let it be seen. */
function portrait(open: readonly [number, number]): SourceCut {
  const rgba = new Uint8ClampedArray(side * side * 4).fill(255)
  for (let pixel = 0; pixel < side * side; pixel += 1) {
    let value = 200
    for (const [index, [x, y]] of middles.entries()) {
      const [dx, dy] = [(pixel % side) + 0.5 - x, Math.floor(pixel / side) + 0.5 - y]
      if ((dx / 30) ** 2 + (dy / Math.max(0.1, (open[index] ?? 0) / 2)) ** 2 > 1) continue
      value = Math.hypot(dx, dy) < radius ? 40 : 240
    }
    rgba.fill(value, pixel * 4, pixel * 4 + 3)
  }
  const points = landmarks(open)
  return { rgba, width: side, height: side, points, shape: points, eyes: [], views: [], folds: null }
}

const never = (): boolean => false
const color: ColorModel = { matrix: 'bt709', full: false }
const tonesIn = (cut: SourceCut): EyeTones | null => new SourceFace({ ...cut, eyes: eyesOf(cut, never) }, color).tones

describe('the eyes of a source', () => {
  it('are those that are open and seen', () => {
    const found = eyesOf(portrait([24, 24]), never)
    expect(found.map(({ iris }) => iris.radius)).toEqual([expect.closeTo(radius), expect.closeTo(radius)])
    expect(eyesOf(portrait([24, 4]), never)).toEqual(found.slice(0, 1))
    expect(eyesOf(portrait([24, 24]), (eye) => eye === eyes[0])).toEqual(found.slice(1))
    expect(tonesIn(portrait([4, 4]))).toBeNull()
  })

  it('have the colours of their white and their iris, without the skin around them', () => {
    const tones = tonesIn(portrait([24, 24]))
    // 240 and 40 of 255, in the narrow range of video.
    expect(tones?.white.y).toBeCloseTo(222, 0)
    expect(tones?.iris.y).toBeCloseTo(50, 0)
    expect(tones?.seen).toBe(1)
  })
})

describe('eyes in a frame', () => {
  const cut = portrait([24, 24])
  const lids = new Lids(flat(cut.points), new Float32Array(allPoints).fill(252), cut.points)
  let frame: Planes

  const draw = (
    points: Float32Array,
    shaped = points,
    tones: EyeTones | null = null,
    occlusions: readonly ProjectedOcclusion[] = [],
  ) => drawEyes({ landmarks: flat(points), shaped: flat(shaped), tones }, frame, 1, occlusions)
  const luma = (x: number, y: number): number => frame.y[y * side + x] ?? 0
  const hue = (x: number, y: number): number => frame.u[(y >> 1) * (side / 2) + (x >> 1)] ?? 0
  /** Down by this many pixels. */
  const moved = (by: number): Float32Array =>
    landmarks([24, 24]).map((value, at) => (at % 3 === 1 && value > 0 ? value + by : value))

  beforeEach(() => {
    frame = frameOf(side, side, (x, y) => cut.rgba[(y * side + x) * 4] ?? 0)
  })

  it('are the video’s, moved to the drawn lids, and nothing else changes', () => {
    const before = frame.y.slice()
    draw(landmarks([24, 24]), moved(8))
    for (const x of [70, 170]) {
      expect([luma(x, 128), luma(x - 22, 128)]).toEqual([40, 240])
      // The rest is covered by the drawn lids.
      expect(luma(x, 142)).toBe(200)
    }
    for (const at of [100 * side + 70, 150 * side + 70, 120 * side + 120]) expect(frame.y[at]).toBe(before[at])
  })

  it('stay as they are where they need not move, open or shut', () => {
    for (const open of [24, 4]) {
      const before = frame.y.slice()
      draw(landmarks([open, open], 6))
      const most = Math.max(...frame.y.map((value, at) => Math.abs(value - (before[at] ?? 0))))
      // Edges of 200 are read at most a tenth of a pixel off.
      expect(most).toBeLessThan(20)
    }
  })

  const tonesOf = (iris: number, u = 128): EyeTones => {
    const tone = (y: number, u = 128) => ({ y, u, v: 128 })
    return { white: tone(220), dark: tone(20), iris: tone(iris, u), seen: 1 }
  }

  it('get the iris of the source, as light as it is between white and pupil', () => {
    const isPupil = (x: number, y: number): boolean => Math.hypot(x - 70, y - 120) < 4
    // Black below 16, as in videos of full range.
    frame = frameOf(side, side, (x, y) => (isPupil(x, y) ? 2 : Math.max(90, cut.rgba[(y * side + x) * 4] ?? 0)))
    draw(landmarks([24, 24]), undefined, tonesOf(120))
    // Between the video’s 90 and 240, as 120 is between 20 and 220; at most 1.8 times the video’s.
    expect(luma(70 + 9, 120)).toBeGreaterThan(140)
    expect(luma(70 + 9, 120)).toBeLessThan(160)
    expect([luma(48, 120), luma(70, 120)]).toEqual([240, 0])
  })

  it('get its hue, but on the iris only', () => {
    draw(landmarks([24, 24]), undefined, tonesOf(60, 148))
    expect(hue(70 + 9, 120)).toBeGreaterThan(132)
    expect(hue(48, 120)).toBe(128)
  })

  it('change alike, though they differ in the video', () => {
    frame = frameOf(side, side, (x, y) => Math.max(x < 120 ? 60 : 104, cut.rgba[(y * side + x) * 4] ?? 0))
    draw(landmarks([24, 24]), undefined, tonesOf(100))
    // 60 and 104 are 44 and 88 above black.
    const [right, left] = [luma(70 + 9, 120) - 16, luma(170 + 9, 120) - 16]
    expect(right).toBeGreaterThan(50)
    expect(left / right).toBeCloseTo(2, 1)
  })

  it('keep their colour if they are small', () => {
    const small = landmarks([24, 24]).map((value) => value / 4)
    frame = frameOf(side, side, (x, y) => cut.rgba[(y * 4 * side + x * 4) * 4] ?? 200)
    draw(small, undefined, tonesOf(60, 148))
    expect(frame.u.every((value) => value === 128)).toBe(true)
  })

  it('keep their colour as far as the lids hide the iris', () => {
    const byOpen = [24, 3].map((open) => {
      frame.u.fill(128)
      draw(landmarks([open, open]), undefined, tonesOf(60, 148))
      return hue(70 + 9, 120) - 128
    })
    expect(byOpen[1]).toBeLessThanOrEqual((byOpen[0] ?? 0) / 2)
  })

  it('don’t take what covers them with them', () => {
    const edge = 120
    frame = frameOf(side, side, (x, y) => (y < edge ? 20 : (cut.rgba[(y * side + x) * 4] ?? 0)))
    const scale = segmentSide / side
    const share = segmentMap((_, row) => row < edge * scale)
    const toMap = { a: scale, b: 0, c: 0, d: 0, e: scale, f: 0 }
    draw(landmarks([24, 24]), moved(-6), null, [{ share, toMap, covered: 0, hasGlasses: false, weight: 1 }])
    expect(luma(70, 116)).toBe(20)
  })

  it('take the rims of the source less, the more they are shut', () => {
    expect(lids.openIn(flat(landmarks([24, 6])))).toEqual([1, expect.closeTo(0.25)])
    const [right] = eyes
    const [upper, lower] = [right.lids[4], right.lids[12]]
    const open = lids.at([1, 1])
    const half = lids.at([0.6, 0.6])
    const shut = lids.at([0, 1])
    expect(open.points).toEqual(flat(cut.points))
    const height = ({ points }: typeof open): number => (points[lower * 2 + 1] ?? 0) - (points[upper * 2 + 1] ?? 0)
    expect(height(half)).toBeGreaterThan(height(open))
    expect(height(shut)).toBeGreaterThan(height(half))
    expect([open, half, shut].map(({ weights }) => weights[upper])).toEqual([252, expect.closeTo(126, -2), 0])
    // Around a shut eye, most of the skin is the video's.
    const around = [open, half, shut].map(({ weights }) => weights[27])
    expect(around).toEqual([252, expect.closeTo(164, -2), expect.closeTo(76, 0)])
    // The other eye and the corners stay.
    expect(shut.weights[eyes[1].lids[4]]).toBe(252)
    expect(shut.weights[right.lids[0]]).toBe(252)
  })
})
