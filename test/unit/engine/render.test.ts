import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { kernels, Room } from '../../../src/renderer/engine/kernels/kernels.ts'
import { hairlineFlag, halveWeights, skinFlag } from '../../../src/renderer/engine/raster/mesh-weights.ts'
import { blurBytes, blurField } from '../../../src/renderer/engine/raster/blur.ts'
import { blend, mix } from '../../../src/renderer/engine/render/blend.ts'
import { faceMeans } from '../../../src/renderer/engine/render/color-transfer.ts'
import { lumaFields } from '../../../src/renderer/engine/render/luma-fields.ts'
import { chromaFields } from '../../../src/renderer/engine/render/hue.ts'
import { gridFor, boundsIn } from '../../../src/renderer/engine/raster/boxes.ts'
import { meshPoints } from '../../../src/renderer/engine/face/topology.ts'
import { rasterise, type Mesh } from '../../../src/renderer/engine/raster/raster.ts'
import type { Canvas } from '../../../src/renderer/engine/common/canvas.ts'
import type { Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { drawnFace, faceCrop, frameOf } from './face-crop.ts'

/** Pixels of the texture around the mesh. */
const margin = 4

/** A grid of points over a square, jittered inside, cut into triangles. */
function patchwork(cells: number, side: number): Mesh {
  const points: number[] = []
  for (let row = 0; row <= cells; row += 1) {
    for (let column = 0; column <= cells; column += 1) {
      const inside = row > 0 && row < cells && column > 0 && column < cells
      const jitter = (seed: number): number => (inside ? (((seed * 7919) % 100) / 100 - 0.5) * (side / cells) * 0.6 : 0)
      points.push(
        (column * side) / cells + jitter(row * 31 + column),
        (row * side) / cells + jitter(row * 17 + column * 3),
      )
    }
  }
  const triangles: number[] = []
  for (let row = 0; row < cells; row += 1) {
    for (let column = 0; column < cells; column += 1) {
      const a = row * (cells + 1) + column
      triangles.push(a, a + 1, a + cells + 1, a + 1, a + cells + 2, a + cells + 1)
    }
  }
  return {
    triangles: Uint16Array.from(triangles),
    to: Float32Array.from(points),
    from: Float32Array.from(points, (value) => value + margin),
    weights: new Float32Array(points.length / 2).fill(252),
    flags: new Uint8Array(triangles.length / 3).fill(1),
  }
}

const side = 64
const wide = side + 2 * margin
const ramp = {
  data: Uint8Array.from({ length: wide * wide }, (_, pixel) => ((pixel % wide) - margin) * 3),
  width: wide,
  height: wide,
}
const canvas = { left: 0, top: 0, width: side, height: side }

function draw(mesh: Mesh, on: Canvas = canvas): { out: Uint8Array; weight: Uint8Array } {
  const [out, weight] = [new Uint8Array(on.width * on.height), new Uint8Array(on.width * on.height)]
  rasterise(mesh, on, ramp, out, weight)
  return { out, weight }
}

describe('drawing a mesh', () => {
  it('leaves no gap between its triangles, and shows the texture unchanged where nothing is moved', () => {
    const { out, weight } = draw(patchwork(7, side))
    expect(weight.every((value) => value === 253)).toBe(true)
    const worst = out.reduce((max, value, pixel) => Math.max(max, Math.abs(value - (pixel % side) * 3)), 0)
    expect(worst).toBeLessThanOrEqual(1)
  })

  it('reads between pixels when it is moved by half of one', () => {
    const mesh = patchwork(1, 32)
    const { out } = draw({ ...mesh, from: mesh.from.map((value) => value + 0.5) })
    expect([...out.subarray(0, 4)]).toEqual([2, 5, 8, 11])
  })

  it('paints inside the canvas only, and nothing outside the mesh', () => {
    const { weight } = draw(patchwork(2, 40), { left: 30, top: 30, width: 20, height: 20 })
    expect(weight.filter((value) => value > 0)).toHaveLength(100)
  })

  it('leaves out triangles that show their back', () => {
    const mesh = patchwork(4, side)
    const [a = 0, b = 0, c = 0] = mesh.triangles
    mesh.triangles.set([a, c, b])
    const { weight } = draw(mesh)
    expect([weight[0], weight.at(-1)]).toEqual([0, 253])
  })
})

it('a mask of half the size has the mean weight of four pixels, and the flags of the first', () => {
  // prettier-ignore
  const weight = Uint8Array.from([
    252 | 1, 252 | 1, 252 | 2, 0,
    0, 0, 0, 0,
  ])
  const mask = new Uint8Array(2)
  halveWeights(weight, 4, mask)
  expect([...mask].map((value) => value & 252)).toEqual([124, 60])
  expect([...mask].map((value) => value & 3)).toEqual([1, 2])
})

const square = (left: number, top: number, size: number): Float32Array =>
  Float32Array.from(
    { length: 468 * 2 },
    (_, index) => (index % 4 < 2 ? [left, top] : [left + size, top + size])[index % 2] ?? 0,
  )

it.each([
  ['even', square(11, 21, 30), { left: 8, top: 18, width: 34, height: 34 }],
  ['inside the frame', square(-20, 80, 50), { left: 0, top: 78, width: 32, height: 22 }],
  ['nothing for a face outside it', square(200, 0, 30), null],
  ['nothing for a face nowhere', square(Number.NaN, 0, 30), null],
])('the box of a face is %s', (_, points, bounds) => {
  expect(boundsIn(points, meshPoints, { width: 100, height: 100 })).toEqual(bounds)
})

describe('blurring', () => {
  it.each([1.5, 2.4, 3, 3.5, 4.4])('spreads a field as far as told, by %d, and keeps the whole', (sigma) => {
    const field = new Float32Array(41 * 41)
    field[20 * 41 + 20] = 100
    blurField(field, 41, 41, sigma)
    expect(field.reduce((sum, value) => sum + value, 0)).toBeCloseTo(100, 2)
    const spread = field.reduce((sum, value, at) => sum + value * ((at % 41) - 20) ** 2, 0) / 100
    expect(Math.sqrt(spread)).toBeCloseTo(sigma, 2)
  })

  it('softens a mask on both sides of its edge alike', () => {
    const mask = Uint8Array.from({ length: 32 * 32 }, (_, pixel) => (pixel % 32 < 16 ? 200 : 0))
    blurBytes(mask, 32, 32, 2)
    const row = mask.subarray(16 * 32, 17 * 32)
    expect(row[10]).toBe(200)
    expect((row[15] ?? 0) + (row[16] ?? 0)).toBeCloseTo(200, -1)
    expect(row[22]).toBe(0)
  })

  it('gives the mean of a box, twice, whatever the width, and writes nothing else', () => {
    /** One box of a radius, in steps of `step`, along lines of `length` pixels; what lies beyond them is zero. */
    const boxed = (from: Uint8Array, radius: number, step: number, length: number): Uint8Array =>
      from.map((_, pixel) => {
        const place = Math.floor(pixel / step) % length
        let sum = 0
        for (let by = Math.max(-radius, -place); by <= Math.min(radius, length - 1 - place); by += 1)
          sum += from[pixel + by * step] ?? 0
        return Math.round(sum / (2 * radius + 1))
      })
    const height = 6
    for (const width of [4, 7, 8, 13, 21])
      for (const radius of [1, 2, 5]) {
        const noise = Uint8Array.from({ length: width * height }, (_, pixel) => (pixel * 7919) % 256)
        let wanted: Uint8Array = noise
        for (let pass = 0; pass < 2; pass += 1) wanted = boxed(boxed(wanted, radius, 1, width), radius, width, height)
        const room = new Room()
        const [at, scratch] = [room.take(noise.length + 8), room.take(noise.length + 8)]
        room.bytes(at, noise.length).set(noise)
        for (const end of [at, scratch]) room.bytes(end + noise.length, 8).fill(9)
        kernels.blur(at, scratch, width, height, radius)
        expect(room.bytes(at, noise.length)).toEqual(wanted)
        for (const end of [at, scratch]) expect([...room.bytes(end + noise.length, 8)]).toEqual(new Array(8).fill(9))
      }
  })
})

describe('colour', () => {
  const flat = (value: number): Float32Array => new Float32Array(4).fill(value)

  it.each([
    ['takes the light of the target in full', 100, 160, 100, 160],
    ['shrinks detail in the dark', 160, 40, 100, 30],
    ['clips nothing in a very dark video', 160, 30, 16, 16],
    ['keeps the mean of a very dark video', 160, 30, 160, 30],
    ['shrinks detail in a very dark video', 160, 30, 235, 37.3],
    ['does not let detail grow in the light', 40, 180, 50, 190],
    ['keeps the mean of an overexposed video', 160, 235, 160, 235],
    ['shrinks detail where the video is overexposed', 160, 235, 150, 231],
  ])('%s', (_, source, target, luma, lit) => {
    const { gain, offset } = lumaFields({ source: flat(source), target: flat(target) })
    expect(luma * (gain[0] ?? 0) + (offset[0] ?? 0)).toBeCloseTo(lit, 1)
  })

  it('keeps a part of the hue detail, less where the video has less hue', () => {
    const skin = (chroma: number): ReturnType<typeof chromaFields> =>
      chromaFields({ source: flat(120), target: flat(120) }, { source: flat(150), target: flat(chroma) })
    expect(skin(150).detail).toBeCloseTo(0.7, 3)
    expect(skin(170).detail).toBeCloseTo(0.7, 3)
    expect(skin(139).detail).toBeCloseTo(0.35, 3)
  })

  it('leaves a grey target grey', () => {
    const fields = chromaFields({ source: flat(120), target: flat(120) }, { source: flat(150), target: flat(128) })
    expect([fields.detail, fields.target[0], fields.source[0]]).toEqual([0, 0, 0])
  })

  /** A crop of 16 × 16 in the middle of a frame of one value; the mask is set on the left, or all of it. */
  const scene = (target: number, own: number, isWhole = true) => {
    const frame = frameOf(32, 32, target, target, target)
    const drawn = drawnFace(16, 16, own, (x) => (isWhole || x < 4 ? 255 : 0), own, own)
    return { crop: faceCrop(frame, { left: 8, top: 8, width: 16, height: 16 }, 16), drawn }
  }
  const grid = gridFor(8, 8, 4)
  const over = (value: number): Float32Array => new Float32Array(grid.columns * grid.rows).fill(value)
  const untouched = { target: over(0), source: over(0), detail: 1 }
  const luma = { gain: over(1), offset: over(0), mean: over(0), dark: over(0), light: over(0) }
  const inProportion = { mean: over(100), slope: 1 }
  const slopes = { source: inProportion, target: inProportion }
  const correction = { grid, luma, u: untouched, v: untouched, slopes }

  it('blends by the mask, interpolated from half its size', () => {
    const { crop, drawn } = scene(50, 250, false)
    blend(correction, crop, drawn, 1)
    const line = (8 + 5) * 32 + 8
    expect([...crop.frame.y.subarray(line + 5, line + 10)]).toEqual([250, 250, 200, 100, 50])
    expect([crop.frame.y[line - 1], crop.frame.y[7 * 32 + 8]]).toEqual([50, 50])
    const half = scene(50, 250, false)
    blend(correction, half.crop, half.drawn, 0.5)
    expect(half.crop.frame.y[8 * 32 + 8]).toBe(150)
  })

  it('mixes luma and chroma by mask and opacity where nothing is corrected', () => {
    const frame = frameOf(40, 20, 100, 90, 160)
    const drawn = drawnFace(36, 16, 200, (x) => (x < 9 ? 252 : 0), 130, 120)
    mix(faceCrop(frame, { left: 2, top: 2, width: 36, height: 16 }, 30), drawn, 0.5)
    const at = (x: number, y: number): number[] => [
      frame.y[y * 40 + x] ?? 0,
      frame.u[(y >> 1) * 20 + (x >> 1)] ?? 0,
      frame.v[(y >> 1) * 20 + (x >> 1)] ?? 0,
    ]
    const half = 0.5 * (252 / 255)
    expect(at(6, 10)).toEqual([100 + 100 * half, 90 + 40 * half, 160 - 40 * half].map(Math.round))
    expect([at(30, 10), at(0, 0)]).toEqual([
      [100, 90, 160],
      [100, 90, 160],
    ])
  })

  it('corrects luma by fields that are straight between the centres of cells', () => {
    const { crop, drawn } = scene(0, 100)
    const offset = over(0).map((_, cell) => (cell % grid.columns) * 80)
    blend({ ...correction, luma: { ...luma, gain: over(0.5), offset } }, crop, drawn, 1)
    const row = [...crop.frame.y.subarray(16 * 32 + 8, 16 * 32 + 24)]
    expect(row.slice(0, 4)).toEqual([50, 50, 50, 50])
    for (const column of [4, 8, 11]) expect(row[column]).toBeCloseTo(50 + (column - 3.5) * 10, -0.5)
  })

  it.each([
    [60, 60 - 0.01 * 40 ** 2],
    [100, 100],
    [140, 140 - 0.005 * 40 ** 2],
  ])('bends luma of %i on either side of the mean', (source, bent) => {
    const { crop, drawn } = scene(0, source)
    blend({ ...correction, luma: { ...luma, mean: over(100), dark: over(0.01), light: over(0.005) } }, crop, drawn, 1)
    expect(crop.frame.y[16 * 32 + 16]).toBe(bent)
  })

  it('keeps what is black in the source black on a lighter face', () => {
    const lit = (source: number): number | undefined => {
      const { crop, drawn } = scene(180, source)
      blend({ ...correction, luma: lumaFields({ source: over(100), target: over(180) }) }, crop, drawn, 1)
      return crop.frame.y[16 * 32 + 16]
    }
    expect(lit(16)).toBeCloseTo(16, -0.5)
    expect(lit(100)).toBe(180)
    // A soft shadow grows little, and what is lighter keeps its distance.
    expect(lit(90)).toBeCloseTo(169, -0.5)
    expect(lit(130)).toBe(210)
  })

  it('gives chroma in proportion to the luma that came out, and the detail of the source where it is bright', () => {
    const { crop, drawn } = scene(128, 180)
    const hue = { target: over(0.1), source: over(0.1), detail: 1 }
    drawn.u.fill(128 + 0.1 * (180 - 16) + 6)
    blend({ ...correction, u: hue }, crop, drawn, 1)
    expect(crop.frame.u[8 * 16 + 8]).toBeCloseTo(128 + 0.1 * (180 - 16) + 6, -0.5)
    const dark = scene(128, 20)
    dark.drawn.u.fill(200)
    blend({ ...correction, u: hue }, dark.crop, dark.drawn, 1)
    expect(Math.abs((dark.crop.frame.u[8 * 16 + 8] ?? 0) - 128)).toBeLessThan(6)
  })

  it('changes chroma less than luma where the skin of the video does, but black has none', () => {
    const chromaAt = (luma: number): number => {
      const { crop, drawn } = scene(luma, luma)
      drawn.u.fill(128)
      const half = { source: inProportion, target: { mean: over(100), slope: 0.5 } }
      const u = { target: over(0.2), source: over(0), detail: 0 }
      blend({ ...correction, u, slopes: half }, crop, drawn, 1)
      return (crop.frame.u[8 * 16 + 8] ?? 0) - 128
    }
    expect(chromaAt(116)).toBe(20)
    expect(chromaAt(96)).toBe(18)
    expect(chromaAt(136)).toBe(22)
    expect(chromaAt(56)).toBe(9)
    expect(chromaAt(16)).toBe(0)
  })

  it.each([
    ['in proportion', 1, 1],
    ['half as much', 0.5, 0.5],
    ['not at all', 0, 0],
    ['against it, within bounds', -1, -0.5],
    ['more, within bounds', 2, 1],
  ])('measures how chroma follows luma: %s', (_, by, slope) => {
    const shade = (x: number): number => (x % 16 < 8 ? 0.1 : -0.1)
    const shaded = (follows: number): Planes => {
      const chroma = (x: number): number => 128 + 40 * (1 + follows * shade(2 * x))
      return frameOf(64, 64, (x) => 16 + 100 * (1 + shade(x)), chroma, chroma)
    }
    const frame = shaded(by)
    const drawn = { ...drawnFace(64, 64, 128, 253), ...shaded(0.25) }
    const crop = faceCrop(frame, { left: 0, top: 0, width: 64, height: 64 }, 64)
    const cells = gridFor(32, 32, 1)
    const { target, source } = faceMeans(cells, crop, drawn, 8, null).slopes
    expect(target.slope).toBeCloseTo(slope, 1)
    expect(source.slope).toBeCloseTo(0.25, 1)
  })

  it('pales towards white, and keeps the hue of a white video for what is drawn darker', () => {
    const white = scene(230, 230)
    white.drawn.u.fill(128)
    const { target } = chromaFields({ source: over(150), target: over(230) }, { source: over(138), target: over(134) })
    const u = { target, source: over(0), detail: 1 }
    blend({ ...correction, u }, white.crop, white.drawn, 1)
    expect(white.crop.frame.u[8 * 16 + 8]).toBeCloseTo(134, -0.5)
    const shadow = scene(230, 180)
    shadow.drawn.u.fill(128)
    blend({ ...correction, u }, shadow.crop, shadow.drawn, 1)
    expect(shadow.crop.frame.u[8 * 16 + 8]).toBeGreaterThan(138)
  })

  it('is measured where the skin shows, and defined where it does not', () => {
    const { crop, drawn } = scene(60, 180, false)
    drawn.mask.forEach((value, pixel) => (drawn.mask[pixel] = value && 253))
    const means = faceMeans(grid, crop, drawn, 1, null)
    for (const value of means.y.source) expect(value).toBeCloseTo(180, 0)
    for (const value of means.v.target) expect(value).toBeCloseTo(60, 0)
  })

  it.each([
    ['stronger, within bounds', 4, 12, 1.12],
    ['weaker, within bounds', 12, 4, 0.5],
    ['as strong', 12, 12, 1],
    ['a little weaker', 10, 8, 0.8],
    ['weaker than features only', 60, 14, 1],
  ])('gives the skin the contrast of the video where that is %s', (_, own, wanted, gain) => {
    const [width, height] = [64, 64]
    const stripes = (by: number) => (x: number) => 128 + (x % 16 < 8 ? by : -by)
    const frame = frameOf(width, height, stripes(wanted))
    const crop = faceCrop(frame, { left: 0, top: 0, width, height }, 64)
    const cells = gridFor(width / 2, height / 2, 1)
    const means = faceMeans(cells, crop, drawnFace(width, height, stripes(own), 253), 12, null)
    const middle = 16 * cells.columns + 16
    expect(lumaFields(means.y, means).gain[middle]).toBeCloseTo(gain, 1.5)
  })

  it.each([
    ['none more on lighter skin', 116, 166, 0, 1],
    ['in proportion at a brow', 116, 166, 1, 1.5],
    ['between both at its edge', 116, 166, 0.5, 1.25],
    ['in proportion on darker skin, at a brow, too', 116, 66, 1, 0.5],
    ['within bounds at a brow', 36, 176, 1, 1.6],
    ['half of what is in proportion, at a brow', 116, 166, 1, 0.75, 0.5],
    ['no less than within bounds, at a brow', 36, 176, 1, 1.6, 0.5],
  ])('gives detail its contrast: %s', (_, own, wanted, share, gain, browStrength = 1) => {
    const [source, target, brows] = [own, wanted, share].map((value) => new Float32Array(1).fill(value)) as [
      ...[Float32Array, Float32Array, Float32Array],
    ]
    expect(lumaFields({ source, target }, { brows, browStrength }).gain[0]).toBeCloseTo(gain, 3)
  })

  it.each([
    [1, 16],
    [0.5, 91],
  ])('draws a black brow with %d of its depth on lighter skin', (browStrength, luma) => {
    const [source, target, brows] = [116, 166, 1].map((value) => new Float32Array(1).fill(value)) as [
      ...[Float32Array, Float32Array, Float32Array],
    ]
    const { gain, offset, mean, dark } = lumaFields({ source, target }, { brows, browStrength })
    const black = 16
    const drawn = black * (gain[0] ?? 0) + (offset[0] ?? 0) - (dark[0] ?? 0) * (black - (mean[0] ?? 0)) ** 2
    expect(drawn).toBeCloseTo(luma, 3)
  })

  interface Spots {
    picture: number
    video: number
    share: number
    aside?: number
    cheek?: number
  }
  it.each<[string, Spots, number[]]>([
    ['lifts shadows that the video lacks', { picture: 90, video: 128, share: 0 }, [24, 32]],
    ['keeps shadows that the video has, too', { picture: 90, video: 90, share: 0 }, [35, 39]],
    ['keeps shadows of features', { picture: 90, video: 128, share: 1 }, [35, 39]],
    ['weakens shines that the video lacks', { picture: 166, video: 128, share: 0 }, [-32, -24]],
    ['keeps shines that the video has, too', { picture: 166, video: 166, share: 0 }, [-39, -35]],
    ['keeps shines of features', { picture: 166, video: 128, share: 1 }, [-39, -35]],
    ['keeps shadows that the video has beside them', { picture: 90, video: 90, share: 0, aside: 16 }, [35, 39]],
    ['lifts these on cheeks', { picture: 90, video: 90, share: 0, aside: 16, cheek: 1 }, [24, 32]],
    ['keeps on cheeks what the video has, too', { picture: 90, video: 90, share: 0, cheek: 1 }, [35, 39]],
  ])('%s', (_, { picture, video, share, aside = 0, cheek = 0 }, [least = 0, most = 0]) => {
    const [width, height] = [128, 128]
    /** Spots that are too far apart for the local mean to follow them. */
    const spots = (luma: number, by: number) => (x: number, y: number) => ((x + by) % 32 < 8 && y % 32 < 8 ? luma : 128)
    const crop = faceCrop(frameOf(width, height, spots(video, aside)), { left: 0, top: 0, width, height }, 128)
    const drawn = drawnFace(width, height, spots(picture, 0), 253)
    const cells = gridFor(width / 2, height / 2, 1)
    const { y, shadows, shines, sharedShadows } = faceMeans(cells, crop, drawn, 12, null)
    const all = (value: number): Float32Array => new Float32Array(cells.columns * cells.rows).fill(value)
    const [features, cheeks] = [all(share), all(cheek)]
    const { gain, offset, mean, dark, light } = lumaFields(y, { shadows, shines, sharedShadows, features, cheeks })
    const at = (x: number): number => {
      const cell = 34 * cells.columns + x / 2
      const luma = drawn.y[68 * width + x] ?? 0
      const off = luma - (mean[cell] ?? 0)
      return luma * (gain[cell] ?? 0) + (offset[cell] ?? 0) - ((off < 0 ? dark : light)[cell] ?? 0) * off ** 2
    }
    const depth = at(80) - at(68)
    expect(depth).toBeGreaterThan(least)
    expect(depth).toBeLessThan(most)
  })

  it.each([
    ['skin in another light', 170, 110, 168],
    ['skin in the shade, with less chroma', 105, 120, 108],
    ['a shine, paler than skin', 190, 118, 188],
    ['hair by its light', 40, 120, 150],
    ['hair by its hue', 160, 140, 150],
  ])('measures a forehead that is %s', (_, luma, hue, mean) => {
    const [width, height] = [64, 64]
    const frame = frameOf(
      width,
      height,
      (_, y) => (y < 24 ? luma : 150),
      (_, y) => (y < 12 ? hue : 110),
    )
    const crop = faceCrop(frame, { left: 0, top: 0, width, height }, 64)
    const drawn = drawnFace(width, height, 120, (_, y) => 252 | (y < 12 ? hairlineFlag : skinFlag))
    const cells = gridFor(width / 2, height / 2, 1)
    const means = faceMeans(cells, crop, drawn, 3, null)
    expect(means.y.target[4 * cells.columns + 16]).toBeCloseTo(mean, -0.5)
    expect(means.y.source[4 * cells.columns + 16]).toBeCloseTo(120, 0)
  })

  it('takes a shadow from the face that only the picture has, though it is narrower than the light', () => {
    const [width, height] = [64, 64]
    const crop = faceCrop(frameOf(width, height, 128), { left: 0, top: 0, width, height }, 64)
    const drawn = drawnFace(width, height, (x) => (x >= 26 && x < 38 ? 80 : 128), 253)
    const cells = gridFor(width / 2, height / 2, 1)
    const { gain, offset } = lumaFields(faceMeans(cells, crop, drawn, 8, null).y)
    const at = (x: number): number => {
      const cell = 16 * cells.columns + x / 2
      return (drawn.y[32 * width + x] ?? 0) * (gain[cell] ?? 0) + (offset[cell] ?? 0)
    }
    // Of a shadow of 48 levels, the wide mean alone would leave 41.
    expect(at(4) - at(32)).toBeLessThan(36)
  })

  it.each([
    ['more than elsewhere on the forehead', hairlineFlag, 0, [0, 20]],
    ['no more than elsewhere at its brows', hairlineFlag, 1, [24, 48]],
    ['no more on a cheek', skinFlag, 0, [24, 48]],
  ])('takes such a shadow: %s', (_, flag, brow, [least = 0, most = 0]) => {
    const [width, height] = [128, 128]
    const crop = faceCrop(frameOf(width, height, 128), { left: 0, top: 0, width, height }, 128)
    const drawn = drawnFace(
      width,
      height,
      (x, y) => (x >= 58 && x < 70 && y < 64 ? 80 : 128),
      (_, y) => 252 | (y < 32 ? flag : skinFlag),
    )
    const cells = gridFor(width / 2, height / 2, 1)
    const brows = new Float32Array(cells.columns * cells.rows).fill(brow)
    const { gain, offset } = lumaFields(faceMeans(cells, crop, drawn, 8, brows).y)
    const at = (x: number): number => {
      const cell = 8 * cells.columns + x / 2
      return (drawn.y[16 * width + x] ?? 0) * (gain[cell] ?? 0) + (offset[cell] ?? 0)
    }
    const shadow = at(4) - at(64)
    expect(shadow).toBeGreaterThan(least)
    expect(shadow).toBeLessThan(most)
  })
})

it('the kernels are compiled from their sources as they are', () => {
  const folder = new URL('../../../src/renderer/engine/kernels/', import.meta.url)
  const module = new WebAssembly.Module(readFileSync(new URL('kernels.wasm', folder)))
  const [said] = WebAssembly.Module.customSections(module, 'source')
  const digest = createHash('sha256')
  const sources = readdirSync(folder).filter((name) => /\.[ch]$/.test(name))
  for (const name of sources.sort()) digest.update(readFileSync(new URL(name, folder)))
  expect(Buffer.from(said ?? new ArrayBuffer(0)), 'run node scripts/kernels.mjs').toEqual(digest.digest())
})
