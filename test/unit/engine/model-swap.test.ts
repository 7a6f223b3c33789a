/**
 * @file A swap by a model of the user's, pixel by pixel, with models whose right output is known (swap-models.ts), in
 * onnxruntime-node. Inputs of 16 bits, which that can't take, are in e2e.
 */
import * as runtime from 'onnxruntime-node'
import { describe, expect, it } from 'vitest'
import { inverse } from '../../../src/renderer/engine/common/affine.ts'
import { createPlanes, type Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { cropMap, fivePoints } from '../../../src/renderer/engine/neural/five-points.ts'
import { createSession } from '../../../src/renderer/engine/neural/session.ts'
import { FaceRenderer } from '../../../src/renderer/engine/render/face-renderer.ts'
import { ModelSource } from '../../../src/renderer/engine/render/model-swap.ts'
import { faceTemplates, modelFamilies, type ModelFamily } from '../../../src/shared/engine/models.ts'
import { defaultOptions } from '../../../src/shared/options/swap-options.ts'
import { patternAt, swapper, type SwapperOptions } from '../../fixtures/swap-models.ts'
import { swapperSpec } from '../../fixtures/model-specs.ts'
import { faceCrop } from './face-crop.ts'
import { flat, points, size } from './flat-face.ts'

const [width, height] = [320, 240]
const color = { matrix: 'bt709', full: false } as const
/** The colour in the source: its first three numbers, or all of its picture. */
const tint = [0.7, 0.3, 0.4] as const

/** x, y of the landmarks of a face that is oval and leans a little. */
const mesh = flat(points).map((_, at, all) => {
  const point = at - (at % 2)
  const [x, y] = [(all[point] ?? 0) - size / 2, (all[point + 1] ?? 0) - size / 2]
  return at % 2 === 0 ? 160.3 + 0.7 * (x - 0.1 * y) : 118.8 + 0.85 * (y + 0.1 * x)
})

/** A frame of slopes, which interpolation doesn't change. */
function slopes(): Planes {
  const frame = createPlanes(width, height)
  for (let at = 0; at < frame.y.length; at += 1)
    frame.y[at] = Math.round(70 + 0.25 * (at % width) + 0.2 * Math.floor(at / width))
  for (let at = 0; at < frame.u.length; at += 1) {
    const [x, y] = [at % (width / 2), Math.floor(at / (width / 2))]
    frame.u[at] = Math.round(118 + 0.05 * x)
    frame.v[at] = Math.round(146 - 0.08 * y)
  }
  return frame
}

/** BT.709, limited range: Y, U, V of 8 bits to R, G, B of 0…1 and back. */
const rgbOf = (y: number, u: number, v: number): [number, number, number] => {
  const [light, cb, cr] = [(y - 16) / 219, (u - 128) / 224, (v - 128) / 224]
  const [red, blue] = [light + 1.5748 * cr, light + 1.8556 * cb]
  return [red, (light - 0.2126 * red - 0.0722 * blue) / 0.7152, blue]
}
const yuvOf = ([red, green, blue]: readonly [number, number, number]): [number, number, number] => {
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return [16 + 219 * light, 128 + (224 * (blue - light)) / 1.8556, 128 + (224 * (red - light)) / 1.5748]
}

async function sourceFor(family: ModelFamily, options: SwapperOptions): Promise<ModelSource> {
  const spec = swapperSpec(family, options)
  const session = await createSession(runtime, swapper(family, options), 'cpu')
  const { size, kind } = spec.source.kind === 'picture' ? spec.source : { size: 0, kind: 'embedding' }
  const source = {
    ...spec.inputs.source,
    dims: kind === 'picture' ? [1, 3, size, size] : [1, 512],
    data: Float32Array.from(
      { length: kind === 'picture' ? 3 * size * size : 512 },
      (_, at) => tint[kind === 'picture' ? Math.floor(at / size / size) : at] ?? 0.01,
    ),
  }
  return new ModelSource(spec, { color, options: defaultOptions }, (data) =>
    session.run([source, { ...spec.inputs.target, dims: [1, 3, spec.size, spec.size], data }], spec.output.name),
  )
}

/** The least-squares similarity of the five points, by complex numbers. @returns the crop's place of a frame's point */
function toCrop(family: ModelFamily): (x: number, y: number) => [number, number] {
  const { template, size } = swapperSpec(family)
  const five = fivePoints(mesh, 2)
  const onto = faceTemplates[template].map(([x, y]) => [x * size, y * size] as const)
  const own = onto.map((_, at) => [five[at * 2] ?? 0, five[at * 2 + 1] ?? 0] as const)
  const mean = (points: readonly (readonly [number, number])[], axis: 0 | 1): number =>
    points.reduce((sum, point) => sum + point[axis], 0) / points.length
  const [mx, my, nx, ny] = [mean(own, 0), mean(own, 1), mean(onto, 0), mean(onto, 1)]
  let [real, imaginary, square] = [0, 0, 0]
  own.forEach(([x, y], at) => {
    const [u = 0, v = 0] = onto[at] ?? []
    real += (x - mx) * (u - nx) + (y - my) * (v - ny)
    imaginary += (x - mx) * (v - ny) - (y - my) * (u - nx)
    square += (x - mx) ** 2 + (y - my) ** 2
  })
  const [cos, sin] = [real / square, imaginary / square]
  return (x, y) => [cos * (x - mx) - sin * (y - my) + nx, sin * (x - mx) + cos * (y - my) + ny]
}

/** What the method draws, and where: pixels at full weight, none of whose neighbours are outside. */
async function draw(family: ModelFamily, options: SwapperOptions) {
  const [source, frame] = [await sourceFor(family, options), slopes()]
  await source.prepareFrame(frame, mesh)
  const box = { left: 60, top: 20, width: 200, height: 200 }
  const drawn = source.swapFace(faceCrop(frame, box, 140), mesh)
  const places: { x: number; y: number; luma: number; chroma: number }[] = []
  for (let row = 1; row < 99; row += 1)
    for (let column = 1; column < 99; column += 1) {
      const chroma = row * 100 + column
      const near = [-101, -100, -99, -1, 0, 1, 99, 100, 101]
      if (near.some((by) => ((drawn.mask[chroma + by] ?? 0) & 252) < 252)) continue
      places.push({ x: 60 + column * 2, y: 20 + row * 2, luma: row * 2 * 200 + column * 2, chroma })
    }
  expect(places.length).toBeGreaterThan(1000)
  return { drawn, frame, places }
}

/** Largest difference over all pixels, in levels. */
function worst(
  { drawn, places }: Pick<Awaited<ReturnType<typeof draw>>, 'drawn' | 'places'>,
  expected: (x: number, y: number) => readonly [number, number, number] | null,
): [y: number, u: number, v: number] {
  const max: [number, number, number] = [0, 0, 0]
  for (const { x, y, luma, chroma } of places) {
    // The middle of the luma pixel, and of the four that share the chroma pixel.
    const [own, shared] = [expected(x + 0.5, y + 0.5), expected(x + 1, y + 1)]
    if (!own || !shared) continue
    max[0] = Math.max(max[0], Math.abs((drawn.y[luma] ?? 0) - yuvOf(own)[0]))
    max[1] = Math.max(max[1], Math.abs((drawn.u[chroma] ?? 0) - yuvOf(shared)[1]))
    max[2] = Math.max(max[2], Math.abs((drawn.v[chroma] ?? 0) - yuvOf(shared)[2]))
  }
  return max
}

/** The slopes before they were rounded. */
const slopeAt = (x: number, y: number): [number, number, number] =>
  rgbOf(70 + 0.25 * (x - 0.5) + 0.2 * (y - 0.5), 118 + 0.05 * (x / 2 - 0.5), 146 - 0.08 * (y / 2 - 0.5))

const maxOff = 1.6

describe.each(modelFamilies)('a swap by %s', (family) => {
  it('that changes nothing gives the frame back', async () => {
    const off = worst(await draw(family, { paint: 'identity' }), slopeAt)
    expect(Math.max(...off)).toBeLessThan(maxOff)
  })

  it('mixes in the colour of the source, red as red and blue as blue', async () => {
    const off = worst(await draw(family, { paint: 'colour' }), (x, y) => {
      const [red, green, blue] = slopeAt(x, y)
      return [(red + tint[0]) / 2, (green + tint[1]) / 2, (blue + tint[2]) / 2]
    })
    expect(Math.max(...off)).toBeLessThan(maxOff)
  })

  it('puts each pixel of the crop back to its place', async () => {
    const { size } = swapperSpec(family)
    const place = toCrop(family)
    const drawn = await draw(family, { paint: 'pattern' })
    const [originU, originV] = place(0, 0)
    const [u1, v1] = place(1, 0)
    const margin = 3 * Math.max(1, Math.hypot(u1 - originU, v1 - originV))
    const off = worst(drawn, (x, y) => {
      const [u, v] = place(x, y)
      const edge = (at: number): number => Math.abs(at - (Math.round((at * 8) / size) * size) / 8)
      if (edge(u) < margin || edge(v) < margin) return null
      const [, , blue] = patternAt(Math.floor(u), Math.floor(v), size)
      return [u / size, v / size, blue]
    })
    expect(Math.max(...off)).toBeLessThan(maxOff)
  })

  it.each([
    ['weights of 16 bits', { weights: 'float16' }],
    ['names of another export', { names: { source: 'onnx::Gemm_1', target: 'input', output: '17' } }],
  ] as const)('takes %s', async (_, options) => {
    const off = worst(await draw(family, { paint: 'identity', ...options }), slopeAt)
    expect(Math.max(...off)).toBeLessThan(maxOff)
  })
})

it('a swap by a model has the video’s light already, and changes nothing outside of the face', async () => {
  const [source, before, frame] = [await sourceFor('hyperswap', { paint: 'colour' }), slopes(), slopes()]
  await new FaceRenderer(source, defaultOptions).prepareAndRender(frame, mesh, 1)
  const at = 120 * width + 160
  const [red, green, blue] = slopeAt(160.5, 120.5)
  const mixed = yuvOf([(red + tint[0]) / 2, (green + tint[1]) / 2, (blue + tint[2]) / 2])
  // The mask's full weight is 252 of 255.
  expect(Math.abs((frame.y[at] ?? 0) - mixed[0])).toBeLessThan(2.5)
  expect(Math.abs((frame.u[60 * 160 + 80] ?? 0) - mixed[1])).toBeLessThan(2.5)
  const changed = [...frame.y.keys()].filter((pixel) => frame.y[pixel] !== before.y[pixel])
  const outside = changed.filter((pixel) => Math.abs((pixel % width) - 160) > 76)
  expect([changed.length > 5000, outside]).toEqual([true, []])
})

it('a swap by a model draws the same whatever it drew before', async () => {
  const source = await sourceFor('ghost', { paint: 'colour' })
  const drawnBy = async (by: ModelSource, points = mesh): Promise<Planes> => {
    const frame = slopes()
    await new FaceRenderer(by, defaultOptions).prepareAndRender(frame, points, 1)
    return frame
  }
  const smaller = mesh.map((value) => value * 0.7)
  await drawnBy(source, smaller)
  expect(await drawnBy(source)).toEqual(await drawnBy(await sourceFor('ghost', { paint: 'colour' })))
})

it('the crop of a mirrored picture is the mirrored crop', () => {
  const mirrored = mesh.map((value, at) => (at % 2 === 0 ? width - value : value))
  const [own, other] = [mesh, mirrored].map((points) => inverse(cropMap(fivePoints(points, 2), 'arcface_128', 128)))
  const place = (map: typeof own, x: number, y: number): number[] =>
    map ? [map.a * x + map.b * y + map.c, map.d * x + map.e * y + map.f] : []
  for (const [x, y] of [
    [100, 90],
    [170, 140],
  ] as const) {
    const [one, two] = [place(own, x, y), place(other, width - x, y)]
    one.forEach((value, at) => expect(two[at]).toBeCloseTo(value, 2))
  }
})
