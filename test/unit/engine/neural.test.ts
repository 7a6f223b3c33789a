import { describe, expect, it } from 'vitest'
import { identity } from '../../../src/renderer/engine/common/affine.ts'
import { adapterName, softwareAdapter } from '../../../src/renderer/engine/neural/adapter.ts'
import { cropOfPlanes, cropOfRgba, denormalise, normalise } from '../../../src/renderer/engine/neural/crop.ts'
import { readEmap } from '../../../src/renderer/engine/neural/emap.ts'
import { meanOf, sourceVector, withStrength } from '../../../src/renderer/engine/neural/embedding.ts'
import { cropMap } from '../../../src/renderer/engine/neural/five-points.ts'
import { areDifferent, probeInputs, problemOf } from '../../../src/renderer/engine/neural/probe-model.ts'
import { faceTemplates, templateNames } from '../../../src/shared/engine/models.ts'
import type { Source } from '../../../src/shared/engine/protobuf.ts'
import { recogniserSpec, swapperSpec } from '../../fixtures/model-specs.ts'
import { madeEmap, swapper } from '../../fixtures/swap-models.ts'
import { frameOf } from './face-crop.ts'

const random = (length: number, seed = 1): Float32Array =>
  Float32Array.from({ length }, (_, at) => (((at + seed) * 7919) % 997) / 997)

it.each(templateNames)('the place of a crop is found again from five points that lie as %s says', (template) => {
  const [cos, sin, x, y] = [2.1, -0.7, 300, 40]
  const five = Float32Array.from(
    faceTemplates[template].flatMap(([u, v]) => [cos * u * 128 - sin * v * 128 + x, sin * u * 128 + cos * v * 128 + y]),
  )
  const near = (value: number): unknown => expect.closeTo(value, 3)
  const wanted = { a: near(cos), b: near(-sin), c: near(x), d: near(sin), e: near(cos), f: near(y) }
  expect(cropMap(five, template, 128)).toEqual(wanted)
})

describe('a crop', () => {
  it('is the mean of the area of each of its pixels', () => {
    const side = 64
    const rgba = new Uint8ClampedArray(side * side * 4)
    // Single white columns, of which every eighth would be seen alone, or none.
    for (let at = 0; at < side * side; at += 1) rgba.fill(at % 8 === 3 ? 255 : 0, at * 4, at * 4 + 4)
    const crop = cropOfRgba({ rgba, width: side, height: side }, { ...identity, a: 8, e: 8 }, 8)
    for (const value of crop) expect(value).toBeCloseTo(1 / 8, 2)
  })

  it('repeats the edge of the picture', () => {
    const rgba = new Uint8ClampedArray(4 * 4 * 4)
    for (let at = 0; at < 16; at += 1) rgba.set([at % 4 === 3 ? 255 : 0, at < 4 ? 100 : 50, 20, 255], at * 4)
    const crop = cropOfRgba({ rgba, width: 4, height: 4 }, { ...identity, c: -2, f: -2 }, 8)
    expect([crop[0], crop[7], crop[64], crop[64 + 63]]).toEqual(
      [0, 1, 100, 50].map((value, at) => (at < 2 ? value : Math.fround(value / 255))),
    )
  })

  it('of a frame has its colours, red first', () => {
    // Pure red in BT.709, limited range.
    const frame = frameOf(16, 16, 63, 102, 240)
    const crop = cropOfPlanes(frame, { matrix: 'bt709', full: false }, identity, 16)
    expect([crop[0], crop[256], crop[512]].map((value) => Math.round((value ?? 0) * 255))).toEqual([255, 1, 0])
  })

  it('is scaled by the mean and deviation of each channel, and back', () => {
    const shape = { mean: [0.1, 0.2, 0.3], std: [0.5, 0.25, 0.125], denormalise: true } as const
    const crop = random(48)
    const scaled = normalise(crop.slice(), shape)
    expect(scaled[17]).toBeCloseTo(((crop[17] ?? 0) - 0.2) / 0.25, 5)
    denormalise(scaled, shape).forEach((value, at) => expect(value).toBeCloseTo(crop[at] ?? 0, 5))
    expect([...denormalise(Float32Array.of(-1, 0.5, 2), { ...shape, denormalise: false })]).toEqual([0, 0.5, 1])
  })
})

describe('an embedding', () => {
  const raw = random(512)
  const norm = Math.hypot(...raw)
  const none = { emap: null, converted: null }

  it('is multiplied by inswapper’s matrix, and divided by the length that it had before', () => {
    const source = { kind: 'embedding', embedding: 'emap', strength: 'normalised' } as const
    const vector = sourceVector(raw, source, { ...none, emap: madeEmap() })
    vector.forEach((value, at) => expect(value).toBeCloseTo((2 * (raw[(at + 509) % 512] ?? 0)) / norm, 5))
  })

  it.each([
    ['normalised', 1 / norm],
    ['converted', 3],
    ['converted-normalised', 1 / norm],
  ] as const)('is %s', (embedding, factor) => {
    const source = { kind: 'embedding', embedding, strength: 'raw' } as const
    const vector = sourceVector(raw, source, { ...none, converted: raw.map((value) => value * 3) })
    vector.forEach((value, at) => expect(value).toBeCloseTo((raw[at] ?? 0) * factor, 4))
  })

  it('of several pictures is their mean', () => {
    expect([...meanOf([Float32Array.of(1, 4), Float32Array.of(3, 0)])]).toEqual([2, 2])
  })

  it.each([
    [0, 0.35],
    [0.5, 0],
    [1, -0.35],
  ])('has at strength %d a share of %d of the video’s face', (strength, share) => {
    const target = random(512, 5)
    const length = Math.hypot(...target)
    for (const [way, by] of [
      ['normalised', length],
      ['raw', 1],
    ] as const) {
      const mixed = withStrength(raw, target, strength, { kind: 'embedding', embedding: 'normalised', strength: way })
      mixed.forEach((value, at) =>
        expect(value).toBeCloseTo((raw[at] ?? 0) * (1 - share) + ((target[at] ?? 0) / by) * share, 4),
      )
    }
  })
})

const sourceOf = (bytes: Uint8Array): Source => ({
  size: bytes.length,
  read: (start, end) => Promise.resolve(bytes.subarray(start, end)),
})

it.each(['float32', 'float16'] as const)('inswapper’s matrix is read from a file of %s', async (weights) => {
  expect(await readEmap(sourceOf(swapper('inswapper', { paint: 'identity', weights })))).toEqual(madeEmap())
})

it('inswapper’s matrix is missed in other models, in files that are cut off, and in what is no model', async () => {
  const whole = swapper('inswapper', { paint: 'identity' })
  const other = swapper('ghost', { paint: 'identity' })
  const read = (bytes: Uint8Array): Promise<unknown> => readEmap(sourceOf(bytes))
  for (const bytes of [other, new Uint8Array()]) await expect(read(bytes)).rejects.toThrow(RangeError)
  for (const bytes of [whole.subarray(0, -9), whole.subarray(0, 40), new Uint8Array(random(900).buffer)])
    await expect(read(bytes)).rejects.toMatchObject({ code: 'model-unreadable' })
})

describe('an adapter', () => {
  const adapter = { vendor: '', architecture: '', device: '', description: '' }

  it.each([
    { ...adapter, vendor: 'google', architecture: 'swiftshader' },
    { ...adapter, vendor: 'mesa', description: 'llvmpipe (LLVM 19.1.0, 256 bits)' },
    { ...adapter, vendor: 'microsoft', architecture: 'warp' },
    { ...adapter, description: 'Microsoft Basic Render Driver' },
    { ...adapter, vendor: 'nvidia', isFallbackAdapter: true },
  ])('that is software is refused: $vendor $description', (info) => expect(softwareAdapter(info)).toBe(true))

  it.each([
    { ...adapter, vendor: 'intel', architecture: 'gen-12lp' },
    { ...adapter, vendor: 'apple', architecture: 'metal-3', isFallbackAdapter: false },
    { ...adapter, vendor: 'nvidia', architecture: 'hopper', description: 'NVIDIA H100' },
  ])('that is a graphics chip is taken: $vendor', (info) => {
    expect(softwareAdapter(info)).toBe(false)
    expect(adapterName(info)).toContain(info.description || info.architecture)
  })
})

describe('the check of a model', () => {
  const spec = swapperSpec('hyperswap')
  const count = 3 * 256 * 256
  const fine = random(count).map((value) => value * 2 - 1)

  it('gives inputs of the right shapes', () => {
    const [source, target] = probeInputs(swapperSpec('uniface'))
    expect([source?.dims, target?.dims]).toEqual([
      [1, 3, 256, 256],
      [1, 3, 256, 256],
    ])
    expect(probeInputs(spec).map(({ dims, data }) => [dims.join(), data.length])).toEqual([
      ['1,512', 512],
      ['1,3,256,256', count],
    ])
    expect(probeInputs(recogniserSpec)[0]?.dims).toEqual([1, 3, 112, 112])
  })

  it.each([
    ['a picture', spec, fine, null],
    ['not a number', spec, fine.map((value, at) => (at === 99 ? NaN : value)), 'not-a-number'],
    ['the same everywhere', spec, new Float32Array(count).fill(0.3), 'grey'],
    ['all white once it is clipped', spec, fine.map((value) => value * 0.01 + 1.2), 'grey'],
    ['bytes instead of shares', spec, fine.map((value) => value * 255), 'scale'],
    ['too few values', spec, fine.subarray(9), 'scale'],
    ['an embedding', recogniserSpec, random(512), null],
    ['the same number for any face', recogniserSpec, new Float32Array(512).fill(0.3), 'grey'],
    ['a picture from a recogniser', recogniserSpec, fine, 'scale'],
  ] as const)('finds what is wrong with an output of %s', (_, of, output, problem) => {
    expect(problemOf(of, output)).toBe(problem)
  })

  it.each([
    ['the same picture but for rounding', spec, fine, fine.map((value, at) => value + (at % 3) * 0.002), false],
    ['another picture', spec, fine, fine.toReversed(), true],
    ['a longer embedding', recogniserSpec, random(512), random(512).map((value) => value * 1.01), false],
    ['another embedding', recogniserSpec, random(512), random(512, 77), true],
  ] as const)('tells %s', (_, of, one, other, isOther) => expect(areDifferent(of, one, other)).toBe(isOther))
})
