import { describe, expect, it } from 'vitest'
import { frontalCut } from '../../../src/renderer/engine/source/frontal.ts'
import { joinPictures, type JudgedPicture } from '../../../src/renderer/engine/source/join-pictures.ts'
import { judgePicture } from '../../../src/renderer/engine/source/judge-picture.ts'
import type { SourceCut, SourceEye } from '../../../src/renderer/engine/source/source-face.ts'
import { paint, points, size } from './flat-face.ts'

const luma = ({ rgba }: SourceCut, x: number, y: number): number => rgba[(y * size + x) * 4] ?? 0
const isMole = (x: number, y: number): boolean => Math.hypot(x - 170, y - 128) < 4

/** Hair covers the right half, which was filled with another tone. */
const covered = paint((x) => (x < 128 ? 120 : [200, 200, 200, 0]))
/** The same person in half the light, with a mole on the right cheek. */
const darker = paint((x, y) => (isMole(x, y) ? 30 : 60))

/** A picture without glasses. */
const pictureOf = (front: SourceCut, score: number) => ({ front, bare: front, inPicture: front.points, score })

describe('several pictures of one person', () => {
  it('show what one of them hides, in the light of the best one', () => {
    const { cut: joined, bare } = joinPictures([pictureOf(covered, 1), pictureOf(darker, 0.5)])
    expect(bare).toBe(joined)
    expect(luma(joined, 90, 128)).toBe(120)
    expect(luma(joined, 150, 128)).toBeGreaterThan(112)
    expect(luma(joined, 150, 128)).toBeLessThan(128)
    expect(luma(joined, 170, 128)).toBeLessThan(66)
    // Nothing changes in the pictures themselves, which are used again.
    expect(luma(covered, 170, 128)).toBe(200)
  })

  it('stay as they are where the best one shows the face', () => {
    const { cut: joined } = joinPictures([pictureOf(covered, 0.5), pictureOf(darker, 1)])
    expect(joined.rgba).toEqual(darker.rgba)
  })

  it('show the glasses of the best one only, and are known without them', () => {
    const isRim = (x: number, y: number): boolean => Math.abs(y - 128) < 3 && Math.abs(x - 128) > 20
    const worn = paint((x, y) => (isRim(x, y) ? 10 : 120))
    // The skin behind the rims isn't the picture's own.
    const bare = paint((x, y) => [120, 120, 120, isRim(x, y) ? 0 : 255])
    const withGlasses = { front: worn, bare, inPicture: points }
    const best = joinPictures([{ ...withGlasses, score: 1 }, pictureOf(darker, 0.5)])
    expect(luma(best.cut, 90, 128)).toBe(10)
    expect(luma(best.bare, 90, 128)).toBeGreaterThan(110)
    const other = joinPictures([pictureOf(covered, 1), { ...withGlasses, score: 0.5 }])
    expect(other.bare).toBe(other.cut)
    expect(luma(other.cut, 160, 128)).toBeGreaterThan(100)
  })

  it('have the eyes of the first that shows any', () => {
    const some: SourceEye[] = [{ rgba: new Uint8ClampedArray(4), side: 1, lids: [], iris: { x: 0, y: 0, radius: 1 } }]
    const eyesOf = (...of: SourceCut['eyes'][]): SourceCut['eyes'] => {
      const pictures = of.map((eyes, at) => pictureOf({ ...darker, eyes }, 1 - at / 10))
      return joinPictures(pictures as [JudgedPicture, ...JudgedPicture[]]).cut.eyes // there is one at least
    }
    expect(eyesOf([], some)).toBe(some)
    expect(eyesOf([], [])).toEqual([])
  })

  it('have the proportions of all', () => {
    const wider = points.slice()
    wider[5 * 3] = (wider[5 * 3] ?? 0) + 10
    const { cut: joined } = joinPictures([
      pictureOf(darker, 1),
      pictureOf({ ...darker, points: wider, shape: wider }, 0.5),
    ])
    expect((joined.shape[5 * 3] ?? 0) - (points[5 * 3] ?? 0)).toBeCloseTo(5, 0)
    expect(joined.points).toEqual(points)
    expect(joined.shape.length).toBe(478 * 3)
  })
})

it('the far side of a turned head is mirrored, and so not the face’s own', () => {
  const around = points.slice()
  for (let point = 0; point < 478; point += 1) {
    const x = ((points[point * 3] ?? 0) - 128) / 110
    const z = -Math.sqrt(Math.max(0, 1 - x * x))
    around[point * 3] = 128 + 110 * (x * Math.cos(0.9) - z * Math.sin(0.9)) * 0.9
    around[point * 3 + 2] = 110 * (x * Math.sin(0.9) + z * Math.cos(0.9))
  }
  const front = frontalCut({ ...darker, points: around })
  const alphaAt = (point: number): number => {
    const [x, y] = [front.points[point * 3] ?? 0, front.points[point * 3 + 1] ?? 0]
    return front.rgba[(Math.round(y) * size + Math.round(x)) * 4 + 3] ?? 0
  }
  // Both cheeks.
  const sides = [alphaAt(50), alphaAt(280)].sort((a, b) => a - b)
  expect(sides[0]).toBeLessThan(100)
  expect(sides[1]).toBeGreaterThan(200)
})

describe('the score of a picture', () => {
  const checked = (x: number, y: number): number => ((x + y) % 4 < 2 ? 110 : 130)
  const checks = paint(checked)
  const best = judgePicture(points, checks)
  /** The face with these points nearer or farther. */
  const deeper = (...depths: [point: number, depth: number][]): Float32Array => {
    const moved = points.slice()
    for (const [point, depth] of depths) moved[point * 3 + 2] = depth
    return moved
  }

  it.each([
    ['blurred', points, paint(() => 120), 0.5],
    ['lit from one side', points, paint((x, y) => checked(x, y) * (x < 128 ? 0.3 : 1)), 0.7],
    ['turned', deeper([454, 120], [234, -120]), checks, 0.5],
    ['raised', deeper([10, 120], [152, -120]), checks, 0.75],
    ['small', points.map((value) => value / 4), checks, 0.5],
  ])('is lower if the face is %s', (_, inPicture, cut, share) => {
    expect(best).toBeGreaterThan(0.3)
    expect(judgePicture(inPicture, cut)).toBeLessThan(best * share)
  })

  it('is lower if a part is hidden', () => {
    const hidden = paint((x, y) => [...Array<number>(3).fill(checked(x, y)), x < 128 ? 0 : 255])
    expect(judgePicture(points, hidden)).toBeCloseTo(best / 2, 1)
  })
})
