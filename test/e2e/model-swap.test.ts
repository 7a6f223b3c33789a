/** @file Swaps by models of the user's, in the real engine: the runtime, the check, and whole swaps. */
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as runtime from 'onnxruntime-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outDir } from '../../scripts/build.mjs'
import type { MethodFiles } from '../../src/main/engine/host/engine-host.ts'
import { createSession } from '../../src/renderer/engine/neural/session.ts'
import { probeInputs } from '../../src/renderer/engine/neural/probe-model.ts'
import type { EngineProgress, ModelCheck, SwapResult } from '../../src/shared/engine/engine.ts'
import type { ErrorBody } from '../../src/shared/errors.ts'
import { modelFamilies, type ModelFamily, type ModelSpec } from '../../src/shared/engine/models.ts'
import { clips, sample, shortClip } from '../fixtures/clip.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { converterSpec, recogniserSpec, swapperSpec } from '../fixtures/model-specs.ts'
import { bytes, encodeGraph, join as joined, number, wrapGraph } from '../fixtures/onnx.ts'
import { converter, recogniser, swapper, swapperNames, type SwapperOptions } from '../fixtures/swap-models.ts'
import { RealEngine } from './real-engine.ts'

const engine = new RealEngine()
const { at, folder } = engine
const sfaceSpec: ModelSpec = {
  ...recogniserSpec,
  ...{ mean: [0, 0, 0], std: [1 / 255, 1 / 255, 1 / 255] },
  input: { name: 'data', type: 'float32' },
  output: { name: 'fc1', type: 'float32' },
}
let clip: string

interface Answer<T> {
  result?: T
  error?: ErrorBody
}

const written = (name: string, bytes: Uint8Array): string => {
  writeFileSync(at(name), bytes)
  return at(name)
}

function methodFor(family: ModelFamily, options: SwapperOptions, strength = 0.5): MethodFiles {
  const spec = swapperSpec(family, options)
  const { recogniser: needsRecogniser, converter: needed } = spec.needs
  return {
    swapper: { path: written(`${family}.onnx`, swapper(family, options)), spec },
    recogniser: needsRecogniser ? { path: written('recogniser.onnx', recogniser()), spec: recogniserSpec } : null,
    converter: needed ? { path: written('converter.onnx', converter()), spec: converterSpec(needed) } : null,
    ...{ strength, backend: 'webgpu' },
  }
}

const swap = async (dir: string, method: MethodFiles, video = clip): Promise<Answer<SwapResult> | null> =>
  (await engine.run({ kind: 'swap', told: true, face: sample.face, video, dir, method })) as Answer<SwapResult> | null

/** A JPEG's pixels: R, G, B of 0…255. */
async function pixelsOf(path: string): Promise<{ width: number; rgb: (x: number, y: number) => number[] }> {
  const drawn = await engine.ask<{ width: number; bgra: string }>({ kind: 'picture', face: path, dir: folder })
  const { width = 0, bgra = '' } = drawn ?? {}
  const bytes = Buffer.from(bgra, 'base64')
  return { width, rgb: (x, y) => [2, 1, 0].map((channel) => bytes[(y * width + x) * 4 + channel] ?? 0) }
}

beforeAll(async () => {
  clip = await shortClip(at('clip.mp4'), 5)
})
afterAll(() => engine.end())

describe('the runtime', () => {
  const worker = readdirSync(join(outDir, 'renderer/assets')).find((name) => name.startsWith('neural.worker-')) ?? ''

  async function inEngine(path: string, spec: ModelSpec): Promise<Float32Array> {
    const inputs = probeInputs(spec).map((input) => ({ ...input, data: [...input.data] }))
    const infer = { worker: `assets/${worker}`, inputs, output: spec.output.name }
    const step = { kind: 'infer', model: { path, spec }, infer, dir: folder }
    const result = await engine.ask<{ isolated: boolean; values: number[]; error?: string }>(step)
    // Isolated pages may share memory, so that the runtime can use several threads.
    expect([result?.isolated, result?.error]).toEqual([true, undefined])
    return Float32Array.from(result?.values ?? [])
  }

  type Case = readonly [name: string, bytes: Uint8Array, spec: ModelSpec]
  const kinds: Case[] = [
    ['recogniser in 8 bits', readFileSync('resources/models/sface_int8.onnx'), sfaceSpec],
    ['recogniser', recogniser(), recogniserSpec],
    ['converter', converter(), converterSpec('ghost')],
  ]
  const swappers = modelFamilies.flatMap((family): Case[] => [
    [family, swapper(family, { paint: 'colour' }), swapperSpec(family)],
    [`${family} of 16 bits`, swapper(family, { paint: 'colour', weights: 'float16' }), swapperSpec(family)],
  ])
  const answersAsNative = async (_: string, bytes: Uint8Array, spec: ModelSpec): Promise<void> => {
    const session = await createSession(runtime, bytes, 'cpu')
    const expected = await session.run(probeInputs(spec), spec.output.name)
    const values = await inEngine(written('model.onnx', bytes), spec)
    expect(values.length).toBe(expected.length)
    const off = values.reduce((max, value, index) => Math.max(max, Math.abs(value - (expected[index] ?? 0))), 0)
    expect(off).toBeLessThan(1 / 255)
  }
  const name = 'answers as onnxruntime-node does: %s'
  it.each(kinds.slice(0, 1))(name, answersAsNative)
  it.each([...kinds.slice(1), ...swappers])(name, { tags: ['long'] }, answersAsNative)

  it('takes inputs of 16 bits', { tags: ['long'] }, async () => {
    const options = { paint: 'identity', weights: 'float16', io: 'float16' } as const
    const spec = swapperSpec('inswapper', options)
    const values = await inEngine(written('model.onnx', swapper('inswapper', options)), spec)
    const [, target] = probeInputs(spec)
    const off = values.reduce((max, value, index) => Math.max(max, Math.abs(value - (target?.data[index] ?? 0))), 0)
    expect(off).toBeLessThan(1 / 255)
  })
})

/** A working model with a further node. */
const merged = (node: Uint8Array): Uint8Array =>
  joined(swapper('ghost', { paint: 'identity' }), bytes(7, bytes(1, node)))

/** An `If` in an `If` in an `If` … */
function nested(depth: number): Uint8Array {
  const inner = depth === 0 ? bytes(4, 'Identity') : nested(depth - 1)
  return joined(bytes(4, 'If'), bytes(5, joined(bytes(1, 'then_branch'), bytes(6, bytes(1, inner)), number(20, 5))))
}

/** A `Constant` whose value lies in a file outside the model's folder. */
const elsewhere = joined(
  bytes(2, 'constant'),
  bytes(4, 'Constant'),
  bytes(
    5,
    joined(
      bytes(1, 'value'),
      bytes(
        5,
        joined(
          ...[number(1, 4), number(2, 1), bytes(8, 'w'), number(14, 1)],
          bytes(13, joined(bytes(1, 'location'), bytes(2, '../../etc/passwd'))),
        ),
      ),
      number(20, 4),
    ),
  ),
)

/** A model that adds a constant to the target. */
const withConstant = (node: Uint8Array): Uint8Array => {
  const { source, target, output } = swapperNames
  const graph = {
    nodes: [{ op: 'Add', inputs: [target, 'constant'], outputs: [output] }],
    inputs: [
      { name: target, dims: [1, 3, 256, 256] },
      { name: source, dims: [1, 512] },
    ],
    outputs: [{ name: output, dims: [1, 3, 256, 256] }],
  }
  return wrapGraph(encodeGraph(graph, bytes(1, node)))
}

describe('the check', () => {
  const check = (bytes: Uint8Array, spec: ModelSpec): Promise<ModelCheck | undefined> =>
    engine.ask<ModelCheck>({ kind: 'check', model: { path: written('model.onnx', bytes), spec }, dir: folder })

  type Bad = readonly [what: string, bytes: Uint8Array, spec: ModelSpec, problem: string]
  const bad: Bad[] = [
    ['cut off', swapper('inswapper', { paint: 'identity' }).subarray(0, -900), swapperSpec('inswapper'), 'failed'],
    ['nested too deep', merged(nested(1000)), swapperSpec('ghost'), 'failed'],
    ['with a constant in another file', withConstant(elsewhere), swapperSpec('ghost'), 'failed'],
  ]
  const isFound = async (...[, bytes, spec, problem]: Bad): Promise<void> => {
    expect((await check(bytes, spec))?.wasm.problem).toBe(problem)
  }
  it.each(bad)('finds what is wrong with a model that is %s', { tags: ['long'] }, isFound)
})

describe('a swap', () => {
  // The ones after it work.
  it('by a model that answers no numbers fails', { tags: ['long'] }, async () => {
    const answer = await swap(at('nan'), methodFor('ghost', { paint: 'nan' }))
    expect(answer?.error).toEqual({ code: 'model-failed', details: { reason: 'not a number' } })
  })

  it('by a file that is gone, or a model that is none, fails', { tags: ['long'] }, async () => {
    const method = methodFor('simswap', { paint: 'identity' })
    rmSync(method.swapper.path)
    expect((await swap(at('gone'), method))?.error?.code).toBe('file-missing')
    writeFileSync(method.swapper.path, 'no model')
    expect((await swap(at('text'), method))?.error?.code).toBe('model-failed')
  })

  const changesTheFace = async (family: ModelFamily): Promise<void> => {
    const dir = at(`swap-${family}`)
    const answer = await swap(dir, methodFor(family, { paint: 'colour', gain: 0.2 }))
    expect(answer?.error).toBeUndefined()
    expect(answer?.result).toMatchObject({ frames: 5, swappedFrames: 5, ranOn: { backends: ['wasm'] } })
    expect(answer?.result?.ranOn?.fellBack).toMatch(/absent|software/)
    const [before, after] = await Promise.all([pixelsOf(join(dir, 'before.jpg')), pixelsOf(join(dir, 'after.jpg'))])
    expect([before.width, after.width]).toEqual([640, 640])
    // The same colour is mixed into every pixel of the face.
    const added: number[][] = []
    for (let y = 190; y < 250; y += 3)
      for (let x = 260; x < 380; x += 3) {
        const own = before.rgb(x, y)
        added.push(after.rgb(x, y).map((value, channel) => value * 2 - (own[channel] ?? 0)))
      }
    for (const channel of [0, 1, 2]) {
      const values = added.map((colour) => colour[channel] ?? 0).sort((a, b) => a - b)
      const [low = 0, high = 0] = [values[Math.floor(values.length * 0.1)], values[Math.floor(values.length * 0.9)]]
      expect(high - low).toBeLessThan(16)
    }
    // And nothing outside of it.
    for (const [x, y] of [
      [40, 40],
      [600, 60],
      [30, 200],
    ] as const)
      after
        .rgb(x, y)
        .forEach((value, channel) => expect(Math.abs(value - (before.rgb(x, y)[channel] ?? 0))).toBeLessThan(6))
  }
  it.each(modelFamilies.slice(0, 1))('by %s changes what its model changes', changesTheFace)
  it.each(modelFamilies.slice(1))('by %s changes what its model changes', { tags: ['long'] }, changesTheFace)

  it('is stronger or weaker with the face in the video', { tags: ['long'] }, async () => {
    const colours = []
    for (const strength of [0, 1]) {
      const dir = at(`strength-${String(strength)}`)
      expect((await swap(dir, methodFor('hyperswap', { paint: 'colour', gain: 2 }, strength)))?.error).toBeUndefined()
      colours.push((await pixelsOf(join(dir, 'after.jpg'))).rgb(320, 200))
    }
    expect(colours[0]).not.toEqual(colours[1])
  })

  const backends = ['webgpu', 'webnn'] as const
  it.each(backends)(
    'by %s that is killed again and again ends as one that isn’t',
    { tags: ['long'] },
    async (backend) => {
      const method: MethodFiles = { ...methodFor('inswapper', { paint: 'colour' }), backend }
      rmSync(at('killed'), { recursive: true, force: true })
      const video = at('long.mp4')
      copyFileSync(clips.twelveSeconds, video)
      await swap(at('undisturbed'), method, video)
      let kept = 0
      for (const share of [0.4, 0.55, 0.75, 0.9]) {
        engine.onProgress = ({ framesDone, framesTotal, savedMs }: EngineProgress) => {
          if (framesDone < share * (framesTotal ?? 1) || savedMs === 0) return
          kept += 1
          engine.kill()
        }
        expect(await swap(at('killed'), method, video)).toBeNull()
      }
      const { ranOn, stages } = (await swap(at('killed'), method, video))?.result ?? {}
      expect(stages?.['keptFrames']).toBeGreaterThan(0)
      expect(ranOn?.backends).toEqual([backend === 'webnn' && process.platform === 'linux' ? 'webnn' : 'wasm'])
      expect(kept).toBeGreaterThan(0)
      const [whole, killed] = await Promise.all(
        ['undisturbed', 'killed'].map((dir) => mediaFacts(at(dir, 'output.mp4'))),
      )
      expect(killed).toEqual(whole)
    },
  )
})
