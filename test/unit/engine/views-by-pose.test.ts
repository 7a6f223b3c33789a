import { describe, expect, it } from 'vitest'
import { yawOf } from '../../../src/renderer/engine/face/landmarks.ts'
import { PoseFinder, type Pose } from '../../../src/renderer/engine/face/pose.ts'
import { joinPictures } from '../../../src/renderer/engine/source/join-pictures.ts'
import { sharesAt, SourceFace, type SourceCut } from '../../../src/renderer/engine/source/source-face.ts'
import { faceWidth, paint, points as flat, size } from './flat-face.ts'

/** The flat face on half a ball, whose middle is nearest to the camera. */
const head = Float32Array.from(flat, (value, at) =>
  at % 3 === 2 ? -Math.sqrt(Math.max(0, (faceWidth / 2) ** 2 - distance2(at))) : value,
)

/** Square of a point's distance to the middle. */
function distance2(at: number): number {
  return ((flat[at - 2] ?? 0) - size / 2) ** 2 + ((flat[at - 1] ?? 0) - size / 2) ** 2
}

/** Turned about the vertical axis, then about the horizontal one, by degrees. */
function turned({ yaw, pitch }: Pose): Float32Array {
  const to = head.slice()
  const [y, p] = [yaw, pitch].map((degrees) => (degrees * Math.PI) / 180) as [number, number]
  for (let at = 0; at < to.length; at += 3) {
    const [x0, y0, z0] = [(head[at] ?? 0) - size / 2, (head[at + 1] ?? 0) - size / 2, head[at + 2] ?? 0]
    const [x1, z1] = [x0 * Math.cos(y) - z0 * Math.sin(y), x0 * Math.sin(y) + z0 * Math.cos(y)]
    to.set([x1 + size / 2, y0 * Math.cos(p) - z1 * Math.sin(p) + size / 2, y0 * Math.sin(p) + z1 * Math.cos(p)], at)
  }
  return to
}

const inPlane = (points: Float32Array, map: (x: number, y: number) => readonly [number, number]): Float32Array =>
  Float32Array.from({ length: (points.length / 3) * 2 }, (_, at) => {
    const point = (at >> 1) * 3
    return map(points[point] ?? 0, points[point + 1] ?? 0)[at & 1] ?? 0
  })

/** A picture without glasses. */
const pictureOf = (painted: SourceCut, pose: Pose, score: number) => {
  const front = { ...painted, points: head, shape: head }
  return { front, bare: front, inPicture: turned(pose), score }
}

it.each([
  [25, 0],
  [-15, 10],
  [0, -20],
  [8, 8],
])('the pose of a head is found from landmarks in a picture: %d° to the side, %d° down', (yaw, pitch) => {
  const points = turned({ yaw, pitch })
  const pose = new PoseFinder(head).of(points, 3)
  expect(pose.yaw).toBeCloseTo(yaw, 0)
  expect(pose.pitch).toBeCloseTo(pitch, 0)
  if (pitch === 0) expect(pose.yaw).toBeCloseTo(yawOf(points), 0)
})

it('the pose of a head is the same in a picture that is turned, mirrored and of another size', () => {
  const finder = new PoseFinder(head)
  const points = turned({ yaw: 20, pitch: 12 })
  const { yaw, pitch } = finder.of(points, 3)
  const maps: ((x: number, y: number) => readonly [number, number])[] = [
    (x, y) => [-y, x],
    (x, y) => [-x * 3, -y * 3],
    (x, y) => [500 - x, y],
  ]
  for (const map of maps) {
    const found = finder.of(inPlane(points, map), 2)
    expect(found.yaw).toBeCloseTo(yaw, 3)
    expect(found.pitch).toBeCloseTo(pitch, 3)
  }
})

describe('views of a face', () => {
  const front = { yaw: 0, pitch: 0 }
  const left = { yaw: 20, pitch: 0 }
  const isMole = (x: number, y: number): boolean => Math.hypot(x - 170, y - 128) < 4
  const mole = paint((x, y) => (isMole(x, y) ? 30 : 120))
  const darkMole = paint((x, y) => (isMole(x, y) ? 15 : 60))
  const [plain, dark] = [paint(() => 120), paint(() => 60)]
  const lumaOf = (face: SourceFace, pose: Pose): number => {
    const { planes } = face.level(0, pose)
    return planes.y[128 * planes.width + 170] ?? 0
  }

  it('are those from other sides, each in the light of the best one', () => {
    const { cut } = joinPictures([
      pictureOf(plain, front, 1),
      pictureOf(dark, { yaw: 5, pitch: 0 }, 0.9),
      pictureOf(darkMole, left, 0.8),
      pictureOf(mole, { yaw: 24, pitch: 2 }, 0.7),
    ])
    expect(cut.views.length).toBe(2)
    expect(cut.views[0]?.rgba).toBe(cut.rgba)
    const pixel = (128 * size + 170) * 4
    expect(cut.views[1]?.rgba[pixel]).toBeLessThan(60)
    expect(cut.views[1]?.rgba[pixel + 80]).toBeCloseTo(120, -1)
    expect(joinPictures([pictureOf(plain, front, 1), pictureOf(mole, { yaw: 5, pitch: 0 }, 0.5)]).cut.views).toEqual([])
  })

  it('are none if they were taken in light that changes the face', () => {
    const striped = paint((x) => (x % 32 < 16 ? 90 : 150))
    expect(joinPictures([pictureOf(plain, front, 1), pictureOf(striped, left, 0.8)]).cut.views).toEqual([])
  })

  it('show glasses like the best one, or none', () => {
    const worn = (pose: Pose, score: number) => {
      const picture = pictureOf(plain, pose, score)
      return { ...picture, front: { ...picture.front } }
    }
    const other = pictureOf(mole, left, 0.8)
    const mixed = joinPictures([worn(front, 1), other])
    expect([mixed.cut.views.length, mixed.bare.views.length]).toEqual([0, 2])
    expect(joinPictures([worn(front, 1), worn(left, 0.8)]).cut.views.length).toBe(2)
    expect(joinPictures([pictureOf(plain, front, 1), worn(left, 0.8)]).cut.views.length).toBe(2)
  })

  it('are drawn by the pose of the head, and mixed between', () => {
    const { cut } = joinPictures([pictureOf(plain, front, 1), pictureOf(mole, left, 0.8)])
    const face = new SourceFace(cut, { matrix: 'bt709', full: true })
    const [base, view] = cut.views
    if (!base || !view) throw new Error('two views')
    const [ahead, aside] = [lumaOf(face, base.pose), lumaOf(face, view.pose)]
    expect(ahead).toBeGreaterThan(110)
    expect(aside).toBeLessThan(60)
    const between = { yaw: (base.pose.yaw + view.pose.yaw) / 2, pitch: 0 }
    expect(lumaOf(face, between)).toBeCloseTo((ahead + aside) / 2, -0.5)
    expect(lumaOf(face, view.pose)).toBe(aside)
    expect(lumaOf(face, { yaw: view.pose.yaw * 2, pitch: 0 })).toBe(aside)
  })

  it('show the folds of a smile as far as the person in the video smiles', () => {
    const change = new Int8Array(size * size * 4)
    for (let at = 0; at < change.length; at += 1) if (at % 4 < 3) change[at] = -60
    const drawn = (views: boolean, pose: Pose | null, smile: number): number => {
      const { cut } = joinPictures(
        views ? [pictureOf(plain, front, 1), pictureOf(mole, left, 0.8)] : [pictureOf(plain, front, 1)],
      )
      const face = new SourceFace({ ...cut, folds: { change, smile: 0.5 } }, { matrix: 'bt709', full: true })
      const { planes } = face.level(0, pose, smile)
      return planes.y[128 * planes.width + 100] ?? 0
    }
    for (const [views, pose] of [
      [false, null],
      [true, front],
      [true, { yaw: 10, pitch: 0 }],
    ] as const) {
      expect(drawn(views, pose, 0)).toBeCloseTo(120, -0.3)
      const half = drawn(views, pose, 0.25)
      const whole = drawn(views, pose, 0.5)
      expect(half).toBeCloseTo(120 - 60 * 0.5, -0.5)
      expect(whole).toBeCloseTo(120 - 60, -0.5)
      // The source smiles no more than that.
      expect(drawn(views, pose, 1)).toBe(whole)
    }
  })

  it('give way to each other without a jump', () => {
    const views = [front, left, { yaw: -12, pitch: 6 }].map((pose) => ({ pose }))
    let last: number[] | null = null
    for (let yaw = -30; yaw <= 30; yaw += 0.25) {
      const shares = sharesAt({ yaw, pitch: 2 }, views)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(32)
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(0)
      for (const [at, share] of shares.entries()) expect(Math.abs(share - (last?.[at] ?? share))).toBeLessThan(3)
      last = shares
    }
  })
})
