import { describe, expect, it } from 'vitest'
import { compose, identity, uprightToCoded, type Affine } from '../../../src/renderer/engine/common/affine.ts'
import { mirrorOf } from '../../../src/renderer/engine/face/mirror.ts'
import { hasDrifted, regionBounds, regionToUpright, turnBetween } from '../../../src/renderer/engine/face/region.ts'
import {
  faceOval,
  innerMouth,
  leftEye,
  openingTriangles,
  rightEye,
  isUpper,
  ringOf,
  skinTriangles,
} from '../../../src/renderer/engine/face/topology.ts'

const apply = (map: Affine, x: number, y: number): [number, number] => [
  map.a * x + map.b * y + map.c,
  map.d * x + map.e * y + map.f,
]

describe('from upright to coded pixels', () => {
  const coded = { width: 1920, height: 1080 }

  it.each([
    [0, false, 1920, 1080, [100, 50], [100, 50]],
    [90, false, 1080, 1920, [1080, 0], [0, 0]],
    [90, false, 1080, 1920, [0, 1920], [1920, 1080]],
    [180, false, 1920, 1080, [0, 0], [1920, 1080]],
    [270, false, 1080, 1920, [0, 1920], [0, 0]],
    [0, true, 1920, 1080, [0, 10], [1920, 10]],
    [0, false, 3840, 1080, [3840, 1080], [1920, 1080]],
    [90, false, 1080, 3840, [1080, 3840], [1920, 0]],
  ] as const)('turned by %i, mirrored %s, %i × %i shown: %o is %o', (rotation, flip, width, height, from, to) => {
    const point = apply(uprightToCoded(coded, { width, height, rotation, flip }), from[0], from[1])
    expect(point).toEqual(to.map((value) => expect.closeTo(value, 6) as unknown))
  })

  it('composes maps from the inside out', () => {
    const shift = { ...identity, c: 10 }
    const double = { ...identity, a: 2 }
    expect(apply(compose(double, shift), 1, 0)).toEqual([22, 0])
    expect(apply(compose(shift, double), 1, 0)).toEqual([12, 0])
  })
})

describe('a region', () => {
  it('keeps its centre however it turns', () => {
    for (const angle of [0, 0.5, Math.PI / 2, -2]) {
      const centre = apply(regionToUpright({ x: 30, y: 40, size: 20, angle }), 0.5, 0.5)
      expect(centre).toEqual([expect.closeTo(30, 6), expect.closeTo(40, 6)])
    }
  })

  it('needs more pixels when it is turned', () => {
    const bounds = regionBounds({ x: 0, y: 0, size: 2, angle: Math.PI / 4 }, identity)
    expect(bounds.right).toBeCloseTo(Math.SQRT2, 6)
    expect(bounds.top).toBeCloseTo(-Math.SQRT2, 6)
  })

  it.each([
    [{}, false],
    [{ x: 5 }, false],
    [{ x: 7 }, true],
    [{ size: 109 }, false],
    [{ size: 112 }, true],
    [{ angle: 0.09 }, false],
    [{ angle: -0.11 }, true],
    [{ angle: 2 * Math.PI }, false],
  ])('that moved by %o has drifted: %s', (change, drifted) => {
    const used = { x: 0, y: 0, size: 100, angle: 0 }
    expect(hasDrifted(used, { ...used, ...change })).toBe(drifted)
  })

  it('turns the short way round', () => expect(turnBetween(3, -3)).toBeCloseTo(2 * Math.PI - 6, 6))
})

describe('the mesh', () => {
  it('closes its openings the way round that the skin has', () => {
    const edges = new Set<string>()
    for (const triangles of [skinTriangles, openingTriangles]) {
      for (let at = 0; at < triangles.length; at += 3) {
        for (let corner = 0; corner < 3; corner += 1) {
          const edge = `${triangles[at + corner] ?? -1} ${triangles[at + ((corner + 1) % 3)] ?? -1}`
          // Two triangles of a surface walk a shared edge in opposite directions.
          expect(edges.has(edge), edge).toBe(false)
          edges.add(edge)
        }
      }
    }
    const open = [...edges].filter((edge) => !edges.has(edge.split(' ').reverse().join(' ')))
    expect(open).toHaveLength(faceOval.length)
  })

  it('counts rings from the outline inwards', () => {
    expect(faceOval.every((point) => ringOf[point] === 0)).toBe(true)
    expect(ringOf[1]).toBeGreaterThan(4)
    expect(Math.max(...ringOf)).toBeLessThan(255)
  })

  it('tells temples and forehead from cheeks and chin, the same on both sides', () => {
    expect([10, 338, 109, 251, 21, 151].map((point) => isUpper[point])).toEqual([1, 1, 1, 1, 1, 1])
    expect([152, 377, 148, 361, 132, 18].map((point) => isUpper[point])).toEqual([0, 0, 0, 0, 0, 0])
    const sides = [...mirrorOf].filter((other, point) => isUpper[other] !== isUpper[point])
    expect(sides).toEqual([])
  })

  it('knows the mirror image of every point', () => {
    expect([...mirrorOf].every((image, point) => mirrorOf[image] === point)).toBe(true)
    const imageOf = (loop: readonly number[]): Set<unknown> => new Set(loop.map((point) => mirrorOf[point]))
    expect(imageOf(rightEye)).toEqual(new Set(leftEye))
    for (const loop of [innerMouth, faceOval]) expect(imageOf(loop)).toEqual(new Set(loop))
    expect([mirrorOf[1], mirrorOf[33]]).toEqual([1, 263])
  })
})
