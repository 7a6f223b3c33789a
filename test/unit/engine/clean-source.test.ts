import { expect, it } from 'vitest'
import { segmentSide } from '../../../src/renderer/engine/face/region.ts'
import { cleanSource } from '../../../src/renderer/engine/source/clean-source.ts'
import { segmentMap } from './face-crop.ts'
import { paint, points, size } from './flat-face.ts'

/** Rows of the picture that the segmenter takes for hair. */
const hairRows = 48
const skin = 180
const face = segmentMap((_, row) => row * (size / segmentSide) >= hairRows)
const isStrand = (x: number, y: number): boolean => Math.abs(x - 128) <= 2 && y < hairRows + 16
const isMole = (x: number, y: number): boolean => Math.hypot(x - 105, y - (hairRows + 22)) < 4

it('fills a strand that hangs from the hair, and keeps a mole beside it', () => {
  const cut = paint((x, y) => (y < hairRows || isStrand(x, y) || isMole(x, y) ? 60 : skin))
  // The strand ends above the eyes and beside the brows.
  expect(points[159 * 3 + 1]).toBeGreaterThan(hairRows + 30)
  cleanSource(cut, face)
  const at = (x: number, y: number): number => cut.rgba[(y * size + x) * 4] ?? 0
  expect(at(128, hairRows + 12)).toBeGreaterThan(skin - 15)
  expect(at(105, hairRows + 22)).toBeLessThan(100)
})

it('keeps glasses, also dark ones that reach into the hair', () => {
  const eyes = points[159 * 3 + 1] ?? 0
  const isRim = (_x: number, y: number): boolean => Math.abs(y - eyes + 6) < 4
  const rims = segmentMap((_, row) => isRim(0, (row + 0.5) * (size / segmentSide)))
  const skinOnly = face.map((sure, cell) => (rims[cell] ? 0 : sure))
  const clean = (glasses: Uint8Array | null): ((x: number, y: number) => number) => {
    const cut = paint((x, y) => (y < hairRows || isRim(x, y) ? 40 : skin))
    cleanSource(cut, skinOnly, glasses)
    return (x, y) => cut.rgba[(Math.round(y) * size + x) * 4] ?? 0
  }
  for (const x of [60, 128, 196]) {
    expect(clean(rims)(x, eyes - 6)).toBeLessThan(70)
    expect(clean(null)(x, eyes - 6)).toBeGreaterThan(skin - 40)
  }
})

it('fills the forehead beyond the edge of a picture, without a line where it ends', () => {
  const edge = 70
  const cut = paint((_, y) => (y < edge ? [0, 0, 0, 0] : skin))
  cleanSource(cut, face)
  for (let y = hairRows; y < 90; y += 1) expect(cut.rgba[(y * size + 128) * 4], `row ${y}`).toBeGreaterThan(skin - 2)
})

it('fills hair of a picture that is a little transparent, too', () => {
  const cut = paint((_, y) => (y < hairRows ? [60, 60, 60, 200] : [skin, skin, skin, 200]))
  cleanSource(cut, face)
  expect(cut.rgba[((hairRows - 4) * size + 128) * 4]).toBeGreaterThan(skin - 15)
})
