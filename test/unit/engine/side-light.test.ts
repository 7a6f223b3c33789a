import { describe, expect, it } from 'vitest'
import { isUpper, meshPoints } from '../../../src/renderer/engine/face/topology.ts'
import { gridFor } from '../../../src/renderer/engine/raster/boxes.ts'
import { lumaFields } from '../../../src/renderer/engine/render/luma-fields.ts'
import { sideLight } from '../../../src/renderer/engine/render/side-light.ts'
import { faceWidth, flat, points, size } from './flat-face.ts'

const cell = 3
const grid = gridFor(size / 2, size / 2, cell)
const places = flat(points)
const box = { left: 0, top: 0, width: size, height: size }
/** Wide light, as in a swap. */
const wide = 4.2

/** Sums of the luma over the cells, all of skin. @param of luma above black by the place across and down, −1…1 from the face's middle */
const sumsOf = (of: (across: number, down: number) => number): Float32Array =>
  Float32Array.from({ length: grid.columns * grid.rows }, (_, at) => {
    const [column, row] = [at % grid.columns, Math.floor(at / grid.columns)]
    const [x, y] = [column, row].map((place) => ((place + 0.5) * cell * 2 - size / 2) / (faceWidth / 2)) as [
      number,
      number,
    ]
    return (16 + of(x, y)) * cell * cell
  })
const count = new Float32Array(grid.columns * grid.rows).fill(cell * cell)

/** The factor of the drawn luma at a place. */
const factorAt = (change: Float32Array, across: number, down: number): number => {
  const [column, row] = [across, down].map((place) => Math.floor((size / 2 + (place * faceWidth) / 2) / 2 / cell)) as [
    number,
    number,
  ]
  return Math.exp(change[row * grid.columns + column] ?? 0)
}

/** A shadow beside the nose, narrower than what becomes the video's anyway. */
const shadow =
  (at: number, depth: number) =>
  (across: number): number =>
    100 * (1 - depth * Math.exp(-(((across - at) / 0.1) ** 2)))

describe('light from one side', () => {
  const change = (
    drawn: (x: number, y: number) => number,
    frame: (x: number, y: number) => number,
    shown = count,
    inFrame = places,
  ): Float32Array =>
    sideLight(
      grid,
      box,
      { count: shown, drawn: sumsOf(drawn), frame: sumsOf(frame) },
      { drawn: places, frame: inFrame },
      wide,
    )

  it('becomes that of the video: shadow and shine change sides', () => {
    const fields = change(shadow(-0.2, 0.2), shadow(0.2, 0.2))
    expect(factorAt(fields, -0.2, 0.1)).toBeGreaterThan(1.04)
    expect(factorAt(fields, 0.2, 0.1)).toBeLessThan(0.96)
    // Both halves change alike, so what they have in common stays.
    expect(factorAt(fields, -0.2, 0.1) * factorAt(fields, 0.2, 0.1)).toBeCloseTo(1, 1)
  })

  it('does not change what both halves have: that is the person', () => {
    const both = (across: number): number => shadow(0.2, 0.3)(Math.abs(across))
    for (const value of change(() => 100, both)) expect(Math.abs(value)).toBeLessThan(0.02)
    for (const value of change(both, () => 100)) expect(Math.abs(value)).toBeLessThan(0.02)
  })

  it('is read where the landmarks are in the video, not where they are drawn', () => {
    const aside = places.map((place, at) => place + (at % 2 === 0 ? 0.1 * (faceWidth / 2) : 0))
    const both = (across: number): number => shadow(0.2, 0.3)(Math.abs(across - 0.1))
    for (const value of change(() => 100, both, count, aside)) expect(Math.abs(value)).toBeLessThan(0.02)
    expect(Math.max(...change(() => 100, both).map(Math.abs))).toBeGreaterThan(0.05)
  })

  it('leaves the forehead and places without skin alone, and is bounded', () => {
    const steep = (across: number): number => (across < 0 ? 4 : 200)
    const fields = change(() => 100, steep)
    for (const value of fields) expect(Math.abs(value)).toBeLessThanOrEqual(0.25)
    const upper = Array.from({ length: meshPoints }, (_, point) => point).filter((point) => isUpper[point] === 1)
    const top = Math.min(...upper.map((point) => places[point * 2 + 1] ?? 0))
    expect(factorAt(fields, 0.1, (top - size / 2) / (faceWidth / 2))).toBeCloseTo(1, 2)
    expect(change(() => 100, steep, new Float32Array(count.length)).every((value) => value === 0)).toBe(true)
  })

  it('changes luma above black, and moves black nowhere', () => {
    const means = { source: new Float32Array(1).fill(116), target: new Float32Array(1).fill(116) }
    const [usual, lit] = [0, Math.log(1.2)].map((side) =>
      lumaFields(means, { side: new Float32Array(1).fill(side) }),
    ) as [ReturnType<typeof lumaFields>, ReturnType<typeof lumaFields>]
    const drawn = ({ gain, offset, mean, dark }: typeof usual, luma: number): number => {
      const below = Math.max(0, (mean[0] ?? 0) - luma)
      return luma * (gain[0] ?? 0) + (offset[0] ?? 0) - below * below * (dark[0] ?? 0)
    }
    for (const luma of [16, 60, 116, 200]) expect(drawn(lit, luma) - 16).toBeCloseTo((drawn(usual, luma) - 16) * 1.2, 3)
  })
})
