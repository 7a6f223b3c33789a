import { defaultOptions, type SwapOptions } from '@shared/options/swap-options.ts'
import { describe, expect, it } from 'vitest'
import { createPlanes, type Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { aligned, medianFace } from '../../../src/renderer/engine/face/align.ts'
import { FaceRenderer } from '../../../src/renderer/engine/render/face-renderer.ts'
import type { Canvas } from '../../../src/renderer/engine/common/canvas.ts'
import { addGrain } from '../../../src/renderer/engine/render/grain.ts'
import { hairlineFlag, skinFlag } from '../../../src/renderer/engine/raster/mesh-weights.ts'
import { SourceShape } from '../../../src/renderer/engine/render/shape.ts'
import type { FaceCrop, SwappedFace, SwapSource } from '../../../src/renderer/engine/render/swap-method.ts'
import { faceOval, leftEye, meshPoints, outerLips } from '../../../src/renderer/engine/face/topology.ts'
import { drawnFace, faceCrop, frameOf } from './face-crop.ts'
import { flat, points } from './flat-face.ts'

/** A way to swap that paints one colour over the middle half of the crop. */
const plain: SwapSource = {
  swapFace: ({ box: { width, height } }) => {
    const within = (at: number, length: number): boolean => at > length / 8 && at < (length * 3) / 8
    const mask = (x: number, y: number): number => (within(x, width) && within(y, height) ? 252 | skinFlag : 0)
    return drawnFace(width, height, 90, mask, 120, 150)
  },
}

function grain(width: number, height: number): Planes {
  const planes = createPlanes(width, height)
  for (const plane of [planes.y, planes.u, planes.v]) {
    for (let at = 0; at < plane.length; at += 1) plane[at] = 100 + ((at * 7919) % 61)
  }
  return planes
}

/** Points of a mesh spread over a square. */
const spreadOver = (left: number, size: number): Float32Array =>
  Float32Array.from({ length: meshPoints * 2 }, (_, at) => left + (((at >> 1) * (at % 2 === 0 ? 37 : 61)) % size))

describe('a way to swap', () => {
  /** A frame with a face that a source drew. */
  const drawnBy = (source: SwapSource, frame = grain(128, 128)): Planes => {
    new FaceRenderer(source, defaultOptions).render(frame, spreadOver(32, 64), 1)
    return frame
  }

  it('changes pixels where it drew, and leaves every other one as it was decoded', () => {
    const [before, after] = [grain(128, 128), drawnBy(plain)]
    const changed = [...after.y.keys()].filter((at) => after.y[at] !== before.y[at])
    expect(changed.length).toBeGreaterThan(500)
    const outside = changed.filter((at) => [at % 128, at >> 7].some((place) => place < 44 || place > 84))
    expect(outside).toEqual([])
  })

  it('draws eyes below the skin, and does not measure its light on them', () => {
    const drawEyes = ({ frame }: FaceCrop): Canvas[] => {
      frame.y.fill(235)
      return [{ left: 0, top: 0, width: 128, height: 128 }]
    }
    const [before, after] = [drawnBy(plain), drawnBy({ ...plain, drawEyes })]
    const at = 64 * 128 + 64
    expect(Math.abs((after.y[at] ?? 0) - (before.y[at] ?? 0))).toBeLessThan(4)
    expect(after.y[64 * 128 + 36]).toBe(235)
  })

  it('sees the eyes in the rows where they were drawn', () => {
    const drawnWith = (box: Canvas): Planes => {
      const frame = grain(128, 128)
      const drawEyes = (): Canvas[] => {
        frame.y.fill(235, 56 * 128, 72 * 128)
        frame.u.fill(90, 28 * 64, 36 * 64)
        return [box]
      }
      return drawnBy({ ...plain, drawEyes }, frame)
    }
    const all = drawnWith({ left: 0, top: 0, width: 128, height: 128 })
    expect(drawnWith({ left: 60, top: 56, width: 8, height: 16 })).toEqual(all)
    expect(drawnWith({ left: 60, top: 56, width: 8, height: 8 })).not.toEqual(all)
  })

  it.each([
    ['', 252, 130],
    // More than half, where the mask alone covers a quarter.
    [' at the temples, where the mask fades', 60, 98],
  ])('covers the brows of the video, but not hair over its forehead%s', (_, weight, least) => {
    const landmarks = flat(points)
    const [brow, forehead] = [landmarks.subarray(105 * 2, 105 * 2 + 2), landmarks.subarray(10 * 2, 10 * 2 + 2)]
    const near = (x: number, y: number, [px = 0, py = 0]: Float32Array): boolean => Math.hypot(x - px, y - py) < 6
    const frame = frameOf(256, 256, (x, y) => (near(x, y, brow) || near(x, y, forehead) ? 40 : 150))
    const source: SwapSource = {
      swapFace: ({ box: { width, height } }) =>
        drawnFace(width, height, 150, (_, y) => (y < height / 16 ? 252 : weight) | skinFlag | hairlineFlag),
    }
    new FaceRenderer(source, defaultOptions).render(frame, landmarks, 1)
    const at = ([x = 0, y = 0]: Float32Array): number => frame.y[Math.floor(y) * 256 + Math.floor(x)] ?? 0
    expect(at(brow)).toBeGreaterThan(least)
    expect(at(forehead)).toBeLessThan(60)
  })

  it('keeps less and less of the hair where the forehead ends', () => {
    const landmarks = flat(points)
    const [x = 0] = landmarks.subarray(10 * 2)
    const frame = frameOf(256, 256, (column) => (Math.abs(column - x) < 7 ? 40 : 150))
    const source: SwapSource = {
      hasTargetLight: true,
      swapFace: ({ box: { width, height } }) =>
        drawnFace(width, height, 150, (_, y) => 252 | (y < height * 0.35 ? hairlineFlag : skinFlag)),
    }
    new FaceRenderer(source, defaultOptions).render(frame, landmarks, 1)
    const strand = Array.from({ length: 200 }, (_, y) => frame.y[(y + 28) * 256 + Math.floor(x)] ?? 0)
    const steps = strand.slice(1).map((value, y) => value - (strand[y] ?? 0))
    const [first, last] = [strand.findIndex((value) => value > 60), strand.findIndex((value) => value > 130)]
    expect(last - first).toBeGreaterThan(9)
    expect(Math.max(...steps.slice(first, last))).toBeLessThan(25)
  })

  it.each([
    ['a shine', 125, 90],
    ['light hair', 210, 210],
  ])('draws over %s on the forehead of the video only if that may be skin', (_, luma, seen) => {
    const landmarks = flat(points)
    const [x = 0, y = 0] = landmarks.subarray(10 * 2, 10 * 2 + 2)
    const frame = frameOf(256, 256, (column, row) => (Math.hypot(column - x, row - y) < 6 ? luma : 90))
    const source: SwapSource = {
      hasTargetLight: true,
      swapFace: ({ box: { width, height } }) => drawnFace(width, height, 90, 252 | skinFlag | hairlineFlag),
    }
    new FaceRenderer(source, defaultOptions).render(frame, landmarks, 1)
    expect(Math.abs((frame.y[Math.floor(y + 2) * 256 + Math.floor(x)] ?? 0) - seen)).toBeLessThan(25)
  })

  it.each([
    ['as dark in proportion as they are in the picture', 1, 38, 48],
    ['with a part of their depth', 0.6, 24, 33],
  ])('draws brows %s, and skin between them as it is', (_, browStrength, least, most) => {
    const landmarks = flat(points)
    const [brow, chin] = [landmarks.subarray(105 * 2, 105 * 2 + 2), landmarks.subarray(200 * 2, 200 * 2 + 2)]
    const near = (x: number, y: number, [px = 0, py = 0]: Float32Array): boolean => Math.hypot(x - px, y - py) < 3
    const frame = frameOf(256, 256, 166)
    const source: SwapSource = {
      browStrength,
      swapFace: ({ box: { left, top, width, height } }) => ({
        ...drawnFace(
          width,
          height,
          (x, y) => (near(x + left, y + top, brow) || near(x + left, y + top, chin) ? 86 : 116),
          252 | skinFlag,
        ),
        points: landmarks,
      }),
    }
    new FaceRenderer(source, defaultOptions).render(frame, landmarks, 1)
    const at = ([x = 0, y = 0]: Float32Array): number => frame.y[Math.floor(y) * 256 + Math.floor(x)] ?? 0
    const [deep, shallow] = [166 - at(brow), 166 - at(chin)]
    expect(shallow).toBeLessThan(36)
    expect(deep).toBeGreaterThan(least)
    expect(deep).toBeLessThan(most)
  })

  it('ends at nothing along its outline, however steep its mask is there', () => {
    const frame = frameOf(256, 256, 150)
    const from = 96
    const source: SwapSource = {
      hasTargetLight: true,
      swapFace: ({ box: { left, width, height } }) =>
        drawnFace(width, height, 50, (x) => (x * 2 + left < from ? 0 : 252 | skinFlag)),
    }
    new FaceRenderer(source, defaultOptions).render(frame, flat(points), 1)
    const row = Array.from(frame.y.subarray(128 * 256, 129 * 256))
    expect(row[from - 2]).toBe(150)
    expect(row[from - 1]).toBeGreaterThan(150 - 100 / 9)
    // A third of the way at most in the first pixels, everything soon after.
    expect(row[from]).toBeGreaterThan(150 - 100 / 3)
    expect(row[from + 12]).toBeLessThan(60)
  })

  it('draws the same whatever it drew before', () => {
    const used = grain(128, 128)
    const renderer = new FaceRenderer(plain, defaultOptions)
    renderer.render(grain(128, 128), spreadOver(4, 110), 1)
    renderer.render(used, spreadOver(32, 64), 1)
    expect(used).toEqual(drawnBy(plain))
  })
})

describe('grain', () => {
  const crop = (noise: number, faceWidth = 200): FaceCrop => {
    const frame = frameOf(64, 64, (x, y) => 120 + ((((y * 64 + x) * 7919) % 17) - 8) * noise)
    return faceCrop(frame, { left: 8, top: 8, width: 32, height: 32 }, faceWidth)
  }
  const drawn = (mask: number): SwappedFace => drawnFace(32, 32, 100, mask)
  const spreadOf = (values: Uint8Array): number =>
    values.reduce((sum, value) => sum + Math.abs(value - 100), 0) / values.length

  it('of the footage is put on a smooth face, and does not change its light', () => {
    const face = drawn(252 | skinFlag)
    addGrain(crop(1), face, 1)
    expect(spreadOf(face.y)).toBeGreaterThan(1.5)
    expect(face.y.reduce((sum, value) => sum + value, 0) / face.y.length).toBeCloseTo(100, 0)
  })

  it('is lighter where the footage is, though the face becomes nearly black', () => {
    const [footage, face] = [crop(1), drawn(252 | skinFlag)]
    addGrain(footage, face, 0.05)
    const inside = [...face.y.keys()].filter((at) => at % 32 > 0 && at % 32 < 31 && at > 32 && at < 31 * 32)
    const together = inside.reduce((sum, at) => sum + ((face.y[at] ?? 0) - 100) * ((footage.under.y[at] ?? 0) - 120), 0)
    expect(together / inside.length).toBeGreaterThan(100)
  })

  const sloped = crop(0)
  sloped.under.y.forEach((_, at, y) => (y[at] = 40 + 5 * (at % 32)))

  it.each([
    ['footage with none to speak of', crop(0.1), 252 | skinFlag],
    ['a small face', crop(1, 40), 252 | skinFlag],
    ['an even slope of the video’s light', sloped, 252 | skinFlag],
    ['footage where nothing was drawn', crop(1), 0],
  ])("isn't taken from %s", (_, from, mask) => {
    const face = drawn(mask)
    addGrain(from, face, 1)
    expect(spreadOf(face.y)).toBe(0)
  })

  it('is added to smooth skin beside strong edges, as those of brows', () => {
    const face = drawn(252 | skinFlag)
    for (let at = 0; at < face.y.length; at += 1) if (at % 32 < 12) face.y[at] = at % 4 < 2 ? 40 : 160
    addGrain(crop(1), face, 1)
    expect(spreadOf(face.y.filter((_, at) => at % 32 > 13))).toBeGreaterThan(1.5)
  })

  it.each([
    ['a large face', 200, true],
    ['a small one, where they are features', 100, false],
  ])('of pores is put on %s', (_, faceWidth, isPut) => {
    // Three pixels from light to dark.
    const frame = frameOf(128, 128, (x, y) => 120 + 9 * Math.sin((x * Math.PI) / 3) * Math.sin((y * Math.PI) / 3))
    const face = drawnFace(96, 96, 100, 252 | skinFlag)
    const footage = faceCrop(frame, { left: 16, top: 16, width: 96, height: 96 }, faceWidth)
    addGrain(footage, face, 1)
    const together = face.y.reduce((sum, value, at) => sum + (value - 100) * ((footage.under.y[at] ?? 0) - 120), 0)
    const own = footage.under.y.reduce((sum, value) => sum + (value - 120) ** 2, 0)
    if (isPut) expect(together / own).toBeGreaterThan(0.6)
    else expect(together / own).toBeLessThan(0.5)
  })

  it('is not added to a face that has as much', () => {
    const face = drawn(252 | skinFlag)
    for (let at = 0; at < face.y.length; at += 1) face.y[at] = 100 + ((at * 6007) % 40)
    const before = face.y.slice()
    addGrain(crop(1), face, 1)
    expect(face.y).toEqual(before)
  })
})

describe("the source's proportions", () => {
  const shape = Float32Array.from({ length: meshPoints * 3 }, (_, at) => ((at * 6007) % 311) - (at % 3) * 20)
  /** Seen from somewhere: x, y of each point. */
  const seen = (points: Float32Array): Float32Array =>
    Float32Array.from({ length: meshPoints * 2 }, (_, at) => {
      const [x = 0, y = 0, z = 0] = points.subarray((at >> 1) * 3, (at >> 1) * 3 + 3)
      return at % 2 === 0 ? 0.6 * x - 0.2 * y + 0.3 * z + 50 : 0.1 * x + 0.7 * y - 0.1 * z + 80
    })
  /** The same face with one point elsewhere. */
  const moved = (point: number, by: number): Float32Array => {
    const other = shape.slice()
    other[point * 3] = (other[point * 3] ?? 0) + by
    return other
  }
  const shiftOf = (point: number, by: number, options = defaultOptions): number => {
    const target = seen(shape)
    return (new SourceShape(moved(point, by), shape, options).on(target)[point * 2] ?? 0) - (target[point * 2] ?? 0)
  }

  it('move features most of the way, lips less, and the outline not at all', () => {
    // The camera sees 0.6 of the way.
    for (const point of [5, 195]) expect(shiftOf(point, 1) / 0.6, `at ${String(point)}`).toBeCloseTo(0.845, 3)
    for (const point of outerLips) expect(shiftOf(point, 1) / 0.6).toBeCloseTo(0.35, 3)
    for (const point of faceOval) expect(shiftOf(point, 1)).toBe(0)
  })

  it('move features less far if two people differ much', () => {
    const target = seen(shape)
    const shareFor = (by: number): number => {
      const other = shape.map((value, at) => (at % 3 === 0 ? value + by : value))
      return ((new SourceShape(other, shape, defaultOptions).on(target)[10] ?? 0) - (target[10] ?? 0)) / 0.6 / by
    }
    const faceWidth = Math.hypot(...[0, 1].map((axis) => (shape[454 * 3 + axis] ?? 0) - (shape[234 * 3 + axis] ?? 0)))
    expect(shareFor(0.01 * faceWidth)).toBeCloseTo(0.845, 3)
    expect(shareFor(0.03 * faceWidth)).toBeCloseTo((0.65 * 0.033) / 0.03, 3)
    expect(shareFor(0.05 * faceWidth)).toBeCloseTo(0.65, 3)
  })

  it('open an eye, but not one that is shut', () => {
    // Above and below the middle of the left eye.
    const wide = moved(386, 1)
    const gapOf = (target: Float32Array): number => {
      const shaped = new SourceShape(wide, shape, defaultOptions).on(target)
      return ((shaped[386 * 2] ?? 0) - (target[386 * 2] ?? 0) - (shaped[374 * 2] ?? 0) + (target[374 * 2] ?? 0)) / 0.6
    }
    const shut = seen(shape)
    for (let at = 1; at < 8; at += 1) {
      for (const axis of [0, 1]) shut[(leftEye[at] ?? 0) * 2 + axis] = shut[(leftEye[16 - at] ?? 0) * 2 + axis] ?? 0
    }
    expect(gapOf(seen(shape))).toBeGreaterThan(0.4)
    expect(Math.abs(gapOf(shut))).toBeLessThan(0.05)
  })

  it('move no point by more than a bounded way', () => {
    const target = seen(shape)
    const at = (index: number): number => target[index] ?? 0
    const faceWidth = Math.hypot(at(908) - at(468), at(909) - at(469))
    expect(shiftOf(5, 1e6)).toBeCloseTo(0.08 * faceWidth, 1)
  })

  it('follow the likeness, and leave a kept mouth as it is', () => {
    const options: SwapOptions = { ...defaultOptions, likeness: 100, keep: ['mouth'] }
    for (const point of [5, 195]) {
      expect(shiftOf(point, 1, options)).toBeCloseTo(0.6, 1)
      expect(shiftOf(point, 1, { ...options, likeness: 0 })).toBe(0)
    }
    for (const point of outerLips) expect(shiftOf(point, 1, options)).toBe(0)
  })

  it('of the same person change nothing', () => {
    const target = seen(shape)
    expect(new SourceShape(shape, shape, defaultOptions).on(target)).toEqual(target)
  })
})

describe('the usual face of several frames', () => {
  const shape = Float32Array.from({ length: meshPoints * 3 }, (_, at) => ((at * 6007) % 311) - (at % 3) * 20)
  /** Turned about two axes, scaled and shifted. */
  const posed = (yaw: number, roll: number, scale: number): Float32Array => {
    const points = shape.slice()
    for (let at = 0; at < points.length; at += 3) {
      const [x = 0, y = 0, z = 0] = points.subarray(at, at + 3)
      const [a, b] = [x * Math.cos(yaw) + z * Math.sin(yaw), z * Math.cos(yaw) - x * Math.sin(yaw)]
      points[at] = (a * Math.cos(roll) - y * Math.sin(roll)) * scale + 40
      points[at + 1] = (a * Math.sin(roll) + y * Math.cos(roll)) * scale - 7
      points[at + 2] = b * scale
    }
    return points
  }
  const worst = (one: Float32Array | null): number =>
    one?.reduce((max, value, at) => Math.max(max, Math.abs(value - (shape[at] ?? 0))), 0) ?? Infinity

  it('has no pose', () => {
    expect(worst(aligned(posed(0.6, -0.4, 2.5), shape))).toBeLessThan(0.5)
    expect(worst(medianFace([posed(0.5, 0.2, 1), posed(-0.3, 0, 2), posed(0, 1, 0.5)], shape))).toBeLessThan(0.5)
  })

  it('leaves out what one frame alone shows', () => {
    const open = posed(0.2, 0, 1)
    open[17 * 3 + 1] = (open[17 * 3 + 1] ?? 0) + 60
    expect(worst(medianFace([open, posed(0, 0, 1), posed(-0.2, 0, 1)], shape))).toBeLessThan(3)
  })

  it('of none is none', () => expect(medianFace([], shape)).toBeNull())
})
