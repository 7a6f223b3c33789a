import { beforeEach, describe, expect, it } from 'vitest'
import { allPoints, eyes } from '../../../src/renderer/engine/face/topology.ts'
import { createPlanes, type Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { segmentSide } from '../../../src/renderer/engine/face/region.ts'
import type { ProjectedOcclusion } from '../../../src/renderer/engine/occlusion/occlusion-map.ts'
import { drawEyes } from '../../../src/renderer/engine/render/eye-layer.ts'
import { placeEye, Lids } from '../../../src/renderer/engine/render/eye-mesh.ts'
import { asSharp } from '../../../src/renderer/engine/render/sharpness.ts'
import type { SourceCut, SourceEye, EyePicture } from '../../../src/renderer/engine/source/source-face.ts'
import { eyesOf } from '../../../src/renderer/engine/source/source-eyes.ts'
import { segmentMap } from './face-crop.ts'
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
  return { rgba, width: side, height: side, points, shape: points, eyes: null, views: [] }
}

const at = ({ rgba, side }: { rgba: Uint8ClampedArray; side: number }, x: number, y: number): number =>
  rgba[(Math.floor(y) * side + Math.floor(x)) * 4] ?? 0

const never = (): boolean => false

describe('the pictures of the eyes', () => {
  it('show the whole iris, also where the lids hide it', () => {
    const cut = portrait([20, 20])
    const [right] = eyesOf(cut, never) ?? []
    if (!right) throw new Error('no eyes')
    const { x, y } = right.iris
    expect(right.iris.radius).toBeCloseTo(radius)
    // The lids are ten pixels above and below the centre.
    for (const dy of [-12, -8, 0, 8, 12]) expect(at(right, x, y + dy)).toBeLessThan(60)
    expect(at(right, x - radius * 1.25, y)).toBeGreaterThan(200)
    // Beside the iris, what the upper lid hides lies in its shadow.
    expect(at(right, x, y - radius * 1.2)).toBeLessThan(150)
    expect(at(right, x, y + radius * 1.2)).toBeGreaterThan(200)
    expect(at({ rgba: cut.rgba, side }, 70, 108)).toBe(200)
  })

  it('take the mirror image for a shut or hidden eye', () => {
    const cut = portrait([24, 4])
    const [right, left] = eyesOf(cut, never) ?? []
    expect([right?.isMirrored, left?.isMirrored]).toEqual([false, true])
    const wide = portrait([24, 24])
    expect(eyesOf(wide, (eye) => eye === eyes[0])?.map((eye) => eye.isMirrored)).toEqual([true, false])
  })

  it('are left out when both eyes are shut', () => {
    const cut = portrait([4, 4])
    expect(eyesOf(cut, never)).toBeNull()
  })
})

describe('eyes in a frame', () => {
  const cut = portrait([24, 24])
  const both = eyesOf(cut, never)
  if (!both) throw new Error('no eyes')
  const inCut = { rgba: cut.rgba, side }
  const lids = new Lids(flat(cut.points), new Float32Array(allPoints).fill(252), cut.points)
  let frame: Planes

  const paint = (planes: Planes, value: (x: number, y: number) => number): Planes => {
    for (let pixel = 0; pixel < planes.width * planes.height; pixel += 1)
      planes.y[pixel] = value(pixel % planes.width, Math.floor(pixel / planes.width))
    planes.u.fill(128)
    planes.v.fill(128)
    return planes
  }
  const picture = (eye: SourceEye, luma = (x: number, y: number) => at(eye, x, y), u = 128, v = 128): EyePicture => {
    const planes = paint(createPlanes(eye.side, eye.side), luma)
    planes.u.fill(u)
    planes.v.fill(v)
    return { eye, levels: [{ planes, scale: 1 }] }
  }
  const pictures = [picture(both[0]), picture(both[1])] as const
  const draw = (
    points: Float32Array,
    from = pictures,
    occlusions: readonly ProjectedOcclusion[] = [],
    skin = 200,
  ): void => {
    const placed = { landmarks: flat(points), shaped: flat(points), open: lids.openIn(flat(points)) }
    drawEyes({ eyes: from, level: 0, faceWidth: 200, softness: asSharp, skin, ...placed }, frame, 1, occlusions)
  }
  const inFrame = (x: number, y: number): number => frame.y[y * frame.width + x] ?? 0

  beforeEach(() => {
    frame = paint(createPlanes(side, side), (x, y) => at(inCut, x, y))
  })

  it('look where the eyes of the video look, with a round iris', () => {
    const points = landmarks([24, 24], 8)
    const { to, from } = placeEye(0, both[0], flat(points), flat(points))
    expect([to[0], to[1]]).toEqual([78, 120])
    expect([from[0], from[1]]).toEqual([both[0].iris.x, both[0].iris.y])
    draw(points)
    expect(inFrame(78, 120)).toBeLessThan(70)
    expect(inFrame(58, 120)).toBeGreaterThan(150)
    expect(inFrame(98, 120)).toBeGreaterThan(150)
  })

  it('are mirrored when they are the other eye', () => {
    const mirrored = eyesOf(cut, (eye) => eye === eyes[0])?.[0]
    if (!mirrored) throw new Error('no eyes')
    const points = flat(landmarks([24, 24]))
    const { to, from } = placeEye(0, mirrored, points, points)
    // What is above the iris in the frame is above it in the picture.
    for (let point = 1; point <= 16; point += 1) {
      const [above, there] = [(to[point * 2 + 1] ?? 0) - 120, (from[point * 2 + 1] ?? 0) - mirrored.iris.y]
      if (Math.abs(above) > 1) expect(Math.sign(there), String(point)).toBe(Math.sign(above))
    }
    // The first point of the loop is the inner corner: on the left of the left eye's picture.
    expect(from[17 * 2]).toBeLessThan(mirrored.iris.x)
    expect(from[1 * 2]).toBeLessThan(mirrored.iris.x)
  })

  it('are as dark as the eyes of the video', () => {
    paint(frame, (x, y) => 16 + (at(inCut, x, y) - 16) / 2)
    draw(landmarks([24, 24]))
    expect(inFrame(48, 120)).toBeGreaterThan(110)
    expect(inFrame(48, 120)).toBeLessThan(140)
  })

  it('have little light and little colour in a dark video', () => {
    paint(frame, (x, y) => 16 + (at(inCut, x, y) - 16) / 10)
    const brown = (eye: SourceEye): EyePicture => picture(eye, undefined, 108, 150)
    const skin = 16 + (200 - 16) / 10
    // Half shut, so that little is seen of the video's white.
    draw(landmarks([10, 10]), [brown(both[0]), brown(both[1])], [], skin)
    expect(Math.max(...frame.y)).toBeLessThan(16 + (skin - 16) * 1.5)
    // The pupils are not darker than black.
    expect(Math.min(...frame.y)).toBeGreaterThanOrEqual(16)
    for (const plane of [frame.u, frame.v]) expect(Math.max(...plane.map((hue) => Math.abs(hue - 128)))).toBeLessThan(5)
  })

  it('take no light from what covers them', () => {
    const edge = 126
    paint(frame, (x, y) => (y < edge ? 20 : at(inCut, x, y)))
    const scale = segmentSide / side
    const toMap = { a: scale, b: 0, c: 0, d: 0, e: scale, f: 0 }
    const share = segmentMap((_, row) => row < edge * scale)
    draw(landmarks([24, 24]), pictures, [{ share, toMap, weight: 1 }])
    expect(inFrame(70, 112)).toBe(20)
    expect(inFrame(52, 128)).toBeGreaterThan(170)
  })

  it('keep a light iris, between a white and a pupil like those of dark eyes', () => {
    const value = (away: number): number => (away < 7 ? 60 : away < radius ? 150 : 210)
    const light = (eye: SourceEye): EyePicture =>
      picture(eye, (x, y) => value(Math.hypot(x - eye.iris.x, y - eye.iris.y)))
    draw(landmarks([24, 24]), [light(both[0]), light(both[1])])
    expect(inFrame(48, 120)).toBeGreaterThan(225)
    expect(inFrame(70, 120)).toBeLessThan(50)
    expect(inFrame(80, 120)).toBeGreaterThan(110)
    expect(inFrame(80, 120)).toBeLessThan(190)
  })

  it('take the hue of the light on their white, and less of it where they are dark', () => {
    frame.u.fill(140)
    draw(landmarks([24, 24]))
    const hue = (x: number, y: number): number => frame.u[(y >> 1) * (frame.width >> 1) + (x >> 1)] ?? 0
    expect(hue(48, 120)).toBeGreaterThan(136)
    expect(hue(70, 120)).toBeLessThan(131)
  })

  it('change nothing but the eyes', () => {
    paint(frame, () => 150)
    draw(landmarks([24, 24]))
    const around = [inFrame(70, 100), inFrame(70, 140), inFrame(120, 120), inFrame(30, 120)]
    expect(around).toEqual([150, 150, 150, 150])
  })

  it('leave the line of shut lids to the video', () => {
    // Landmarks of shut lids don't quite meet.
    paint(frame, (_, y) => (Math.abs(y - 120) < 2 ? 40 : 150))
    const before = frame.y.slice()
    draw(landmarks([4, 4]))
    expect(frame.y).toEqual(before)
  })

  it('take the rims of the source less, the more they are shut', () => {
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
