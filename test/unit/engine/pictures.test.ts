import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { planesToRgba, rgbaToPlanes } from '../../../src/renderer/engine/media/pixels/color.ts'
import { yuvToRgb } from '../../../src/renderer/engine/media/pixels/color-model.ts'
import { parsePlanar, readPlanar, rgbaOf } from '../../../src/renderer/engine/media/pixels/frame-planes.ts'
import { pictureKind } from '../../../src/renderer/engine/media/pixels/picture-kind.ts'
import { readPictureSize } from '../../../src/renderer/engine/media/pixels/picture-size.ts'
import {
  createPlanes,
  cutPatch,
  halve,
  planesByteLength,
  type ColorModel,
} from '../../../src/renderer/engine/media/pixels/planes.ts'
import { frontalCut, ownShares, turnToFront } from '../../../src/renderer/engine/source/frontal.ts'
import { pullPush } from '../../../src/renderer/engine/source/pull-push.ts'
import { sample } from '../../fixtures/clip.ts'

/** Bytes from text and numbers, padded to 64. */
const header = (...parts: (string | number[])[]): Uint8Array => {
  const bytes = parts.flatMap((part) =>
    typeof part === 'string' ? Array.from(part, (char) => char.charCodeAt(0)) : part,
  )
  return Uint8Array.from({ length: 64 }, (_, index) => bytes[index] ?? 0)
}

describe('the size of a picture', () => {
  it.each([
    ['PNG', header([0x89], 'PNG', [13, 10, 26, 10, 0, 0, 0, 13], 'IHDR', [0, 0, 3, 32, 0, 0, 2, 88])],
    ['JPEG', header([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xff, 0xc2, 0, 17, 8, 2, 88, 3, 32])],
    ['GIF', header('GIF89a', [32, 3, 88, 2])],
    ['BMP', header('BM', new Array<number>(16).fill(0), [32, 3, 0, 0, 168, 253, 255, 255])],
    ['WebP, lossy', header('RIFF', [0, 0, 0, 0], 'WEBPVP8 ', new Array<number>(10).fill(0), [32, 3, 88, 2])],
    ['WebP, lossless', header('RIFF', [0, 0, 0, 0], 'WEBPVP8L', [0, 0, 0, 0, 47, 31, 195, 149, 0])],
    ['WebP, extended', header('RIFF', [0, 0, 0, 0], 'WEBPVP8X', new Array<number>(8).fill(0), [31, 3, 0, 87, 2, 0])],
    ['AVIF', header([0, 0, 0, 28], 'ftypavif', [0, 0, 0, 0], 'ispe', [0, 0, 0, 0, 0, 0, 3, 32, 0, 0, 2, 88])],
  ])('is read from %s', (_, bytes) => expect(readPictureSize(bytes)).toEqual({ width: 800, height: 600 }))

  it('is read from the sample', () => {
    expect(readPictureSize(readFileSync(sample.face))).toEqual({ width: 400, height: 430 })
  })

  it('is not guessed from anything else', () => {
    expect(readPictureSize(header('hello'))).toBeNull()
    expect(readPictureSize(new Uint8Array(3))).toBeNull()
    expect(readPictureSize(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 4))).toBeNull()
  })
})

it.each([
  ['HEIC', header([0, 0, 0, 24], 'ftypheic')],
  ['HEIC', header([0, 0, 0, 24], 'ftypmif1')],
  ['HEIC', readFileSync(resolve('test/fixtures/pictures/mona-lisa.heic'))],
  ['video', header([0, 0, 0, 32], 'ftypisom')],
  ['video', header([0x1a, 0x45, 0xdf, 0xa3])],
  ['video', header('RIFF', [0, 0, 0, 0], 'AVI LIST')],
  ['TIFF', header('II*', [0])],
  ['TIFF', header('MM', [0], '*')],
  ['JPEG 2000', header([0, 0, 0, 12], 'jP  ')],
  ['JPEG 2000', header([0xff, 0x4f, 0xff, 0x51])],
  ['JPEG XL', header([0xff, 0x0a])],
  ['JPEG XL', header([0, 0, 0, 12], 'JXL ')],
  ['Photoshop', header('8BPS')],
  ['PDF', header('%PDF-1.7')],
  ['cut-off', readFileSync(sample.face).subarray(0, 9000)],
  ['cut-off', header([0, 0, 0, 28], 'ftypavif', [0, 0, 0, 0], 'ispe', [0, 0, 0, 0, 0, 0, 3, 32, 0, 0, 2, 88])],
  [null, header('hello')],
  [null, new Uint8Array()],
])('what is no picture here is told as %s', (kind, bytes) => expect(pictureKind(bytes)).toBe(kind))

describe('colour', () => {
  const models: ColorModel[] = (['bt601', 'bt709', 'bt2020'] as const).flatMap((matrix) => [
    { matrix, full: true },
    { matrix, full: false },
  ])

  it.each(models)('goes to $matrix, full range $full, and back', (model) => {
    for (const hex of ['000000', 'ffffff', 'c89678', '1e3cc8', 'ff0000']) {
      const rgba = Buffer.from(`${hex}ff`.repeat(4), 'hex')
      const back = planesToRgba(rgbaToPlanes(rgba, 2, 2, model), model)
      back.forEach((value, at) => expect(Math.abs(value - (rgba[at] ?? 0)), hex).toBeLessThanOrEqual(3))
    }
  })

  it('puts black and white where broadcasting has them', () => {
    const planes = rgbaToPlanes(Uint8Array.of(0, 0, 0, 255, 255, 255, 255, 255), 2, 1, { matrix: 'bt709', full: false })
    expect([...planes.y, ...planes.u, ...planes.v]).toEqual([16, 235, 128, 128])
  })

  it('has the factors of BT.709', () => {
    const near = (value: number): unknown => expect.closeTo(value, 4)
    const factors = { redV: near(1.5748), greenU: near(0.1873), greenV: near(0.4681), blueU: near(1.8556) }
    expect(yuvToRgb({ matrix: 'bt709', full: true })).toMatchObject(factors)
  })
})

describe('planes', () => {
  it('take half the pixels more for chroma, rounded up', () => {
    expect([planesByteLength(4, 2), planesByteLength(3, 3)]).toEqual([12, 17])
  })

  it('are cut on even pixels inside the frame', () => {
    const planes = createPlanes(8, 8)
    planes.y.forEach((_, index) => (planes.y[index] = index))
    planes.u.forEach((_, index) => (planes.u[index] = index))
    const patch = cutPatch(planes, { matrix: 'bt709', full: false }, { left: 3, top: 5, right: 5, bottom: 20 })
    expect(patch).toMatchObject({ left: 2, top: 4, width: 4, height: 4 })
    expect([...(patch?.y.subarray(0, 5) ?? [])]).toEqual([34, 35, 36, 37, 42])
    expect([...(patch?.u ?? [])]).toEqual([9, 10, 13, 14])
    expect(cutPatch(planes, { matrix: 'bt709', full: false }, { left: 9, top: 0, right: 20, bottom: 8 })).toBeNull()
  })

  it('are halved by averaging', () => {
    const planes = createPlanes(4, 4)
    planes.y.set([0, 4, 8, 8, 0, 4, 8, 8])
    expect([...halve(planes).y]).toEqual([2, 8, 0, 0])
  })

  it.each([
    ['I420', { bits: 8, chromaX: 2, chromaY: 2 }],
    ['I422P10', { bits: 10, chromaX: 2, chromaY: 1 }],
    ['I444AP12', { bits: 12, chromaX: 1, chromaY: 1 }],
    ['NV12', null],
    ['RGBA', null],
  ])('of format %s have the layout %o', (format, layout) => expect(parsePlanar(format)).toEqual(layout))

  /** Y, U and V of a frame whose planes lie one after the other. Numbers of 16 bits have ten. */
  function read(
    raw: Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>,
    [width, height]: readonly [number, number],
    chromaX: 1 | 2 = 1,
  ): number[][] {
    const [unit, chroma, planes] = [raw.BYTES_PER_ELEMENT, width / chromaX, createPlanes(width, height)]
    const layout = [0, width * height, (width + chroma) * height].map((offset, plane) => {
      return { offset: offset * unit, stride: (plane === 0 ? width : chroma) * unit }
    })
    readPlanar(raw.buffer, layout, { bits: unit === 2 ? 10 : 8, chromaX, chromaY: 1 }, planes)
    return [[...planes.y], [...planes.u], [...planes.v]]
  }

  it('of ten bits or full chroma become eight bits and a quarter of the chroma, rounded', () => {
    const exact = Uint16Array.of(0, 400, 800, 1023, 512, 516, 512, 516, 100, 100, 100, 100)
    expect(read(exact, [2, 2])).toEqual([[0, 100, 200, 255], [129], [25]])
    const deep = Uint16Array.of(401, 402, 403, 1022, 402, 402, 402, 402, 1021, 1022, 1023, 1023)
    expect(read(deep, [2, 2])).toEqual([[100, 101, 101, 255], [101], [255]])
    const fine = Uint8Array.of(1, 2, 3, 255, 0, 1, 0, 1, 255, 255, 255, 255)
    expect(read(fine, [2, 2])).toEqual([[1, 2, 3, 255], [1], [255]])
  })

  it('of an odd size have the chroma of their last column and row there, and nothing of what is behind', () => {
    const chroma = [10, 20, 90, 30, 40, 70, 60, 80, 200]
    const [, u, v] = read(Uint8Array.of(...new Array<number>(9).fill(0), ...chroma, ...chroma), [3, 3])
    expect(u).toEqual([25, 80, 70, 200])
    expect(v).toEqual(u)
  })

  it('of an odd height and half the chroma across keep that of their last row', () => {
    const [, ...chroma] = read(Uint8Array.of(0, 0, 0, 0, 0, 0, 10, 20, 90, 40, 50, 60), [2, 3], 2)
    expect(chroma.flat()).toEqual([15, 90, 45, 60])
  })
})

describe('the source', () => {
  it('is filled from what is known of it', () => {
    const side = 16
    const known = Float32Array.from({ length: side * side }, (_, pixel) => (pixel % side < 8 ? 1 : 0))
    const rgb = Float32Array.from({ length: side * side * 3 }, (_, index) =>
      Math.floor(index / 3) % side < 8 ? 90 + (index % 3) : 0,
    )
    pullPush(rgb, known, side, side)
    rgb.forEach((value, index) => expect(value).toBeCloseTo(90 + (index % 3), 3))
  })

  /** A face of constant depth profile, seen from `yaw` radians to the side. */
  const ball = (yaw: number): Float32Array => {
    const points = new Float32Array(478 * 3)
    const put = (index: number, x: number, y: number, z: number): void =>
      points.set([64 + x * Math.cos(yaw) - z * Math.sin(yaw), 64 + y, x * Math.sin(yaw) + z * Math.cos(yaw)], index * 3)
    for (let index = 0; index < 478; index += 1) put(index, ((index * 37) % 80) - 40, ((index * 53) % 90) - 45, 0)
    put(234, -40, 0, 0)
    put(454, 40, 0, 0)
    return points
  }

  it('is turned to the front by its own depth', () => {
    const front = turnToFront(ball(0.6))
    const straight = ball(0)
    for (const index of [1, 33, 152, 300]) expect(front[index * 3]).toBeCloseTo(straight[index * 3] ?? 0, 2)
  })

  it('that looks ahead is all its own', () => {
    const points = ball(0)
    expect(Math.min(...ownShares(points, turnToFront(points)))).toBeGreaterThan(0.99)
  })

  it('keeps its colour when it is turned', () => {
    const rgba = new Uint8ClampedArray(128 * 128 * 4).fill(180)
    const points = ball(0.5)
    const front = frontalCut({ rgba, width: 128, height: 128, points, shape: points, eyes: [], views: [], folds: null })
    expect(front.rgba.every((value, at) => value === 180 || at % 4 === 3)).toBe(true)
  })
})

it('planes of green, blue and red are joined, at ten bits too', () => {
  const raw = Uint16Array.of(40, 80, 400, 800, 1020, 0).buffer
  const layout = [0, 4, 8].map((offset) => ({ offset, stride: 4 }))
  const rgba = rgbaOf(raw, layout, { bits: 10, chromaX: 1, chromaY: 1 }, { width: 2, height: 1 })
  expect([...rgba]).toEqual([255, 10, 100, 0, 0, 20, 200, 0])
})
