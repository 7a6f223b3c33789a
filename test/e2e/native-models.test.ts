/** @file Models run natively, by WebNN, in the real engine: each operator as onnxruntime-node computes it, and swaps. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as runtime from 'onnxruntime-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outDir } from '../../scripts/build.mjs'
import { createSession } from '../../src/renderer/engine/neural/session.ts'
import type { Input } from '../../src/renderer/engine/neural/sessions.ts'
import type { Backend, ModelCheck, RanOn, SwapResult } from '../../src/shared/engine/engine.ts'
import { sample, shortClip } from '../fixtures/clip.ts'
import { recogniserSpec, swapperSpec } from '../fixtures/model-specs.ts'
import { encodeModel, type Node, type Value } from '../fixtures/onnx.ts'
import { recogniser, Steps, swapper } from '../fixtures/swap-models.ts'
import { RealEngine } from './real-engine.ts'

const engine = new RealEngine()
const { at, folder } = engine
afterAll(() => engine.end())

const worker = readdirSync(join(outDir, 'renderer/assets')).find((name) => name.startsWith('neural.worker-')) ?? ''

interface Inferred {
  values?: number[]
  error?: unknown
  ranOn: RanOn
}

async function infer(model: Uint8Array, inputs: Input[], output: string, backend: Backend): Promise<Inferred> {
  writeFileSync(at('model.onnx'), model)
  const given = inputs.map((input) => ({ ...input, data: [...input.data] }))
  const step = { worker: `assets/${worker}`, inputs: given, output, backend }
  const answer = await engine.ask<Inferred>({
    kind: 'infer',
    model: { path: at('model.onnx') },
    infer: step,
    dir: folder,
  })
  if (!answer) throw new Error('the engine ended')
  return answer
}

const noise = (count: number, seed: number): Float32Array =>
  Float32Array.from({ length: count }, (_, index) => (((index + 1) * (7919 + 2 * seed)) % 1009) / 504.5 - 1)
const product = (dims: readonly number[]): number => dims.reduce((a, b) => a * b, 1)

/** A model of single operators, whose results are put into one row. */
class Table extends Steps {
  readonly results: { name: string; at: string }[] = []

  weight(dims: number[], scale = 1): string {
    const values = noise(product(dims), this.initializers.length).map((value) => value * scale)
    return this.constant(dims, values)
  }

  list(...values: number[]): string {
    return this.constant([values.length], values, 'int64')
  }

  number(value: number): string {
    return this.constant([], [value])
  }

  /** A node with attributes of any kind. */
  node(op: string, inputs: string[], more: Omit<Node, 'op' | 'inputs' | 'outputs'> = {}, outputs = 1): string[] {
    const names = Array.from({ length: outputs }, (_, index) => `node-${this.nodes.length}-${index}`)
    this.nodes.push({ op, inputs, outputs: names, ...more })
    return names
  }

  one(op: string, inputs: string[], more: Omit<Node, 'op' | 'inputs' | 'outputs'> = {}): string {
    return this.node(op, inputs, more)[0] ?? ''
  }
}

type Row = readonly [name: string, make: (table: Table) => string]

/** `x` is a picture, `wide` one of many channels, `row` a vector. */
const inputs: (Value & { dims: readonly number[] })[] = [
  { name: 'x', dims: [1, 6, 8, 10] },
  { name: 'wide', dims: [1, 300, 24, 26] },
  { name: 'row', dims: [1, 12] },
]

const positive = (table: Table): string => table.one('Add', [table.one('Abs', ['x']), table.number(0.1)])
const unary = (op: string): Row => [op, (table) => table.one(op, ['x'])]
const reduced = (op: string, axes: number[], keepdims: number): Row => [
  `${op} of ${axes.join()}, ${keepdims ? 'kept' : 'dropped'}`,
  (table) => table.one(op, ['x'], { ints: { axes, keepdims } }),
]
const resized = (mode: string, coordinate_transformation_mode: string, more: Record<string, string> = {}): Row => [
  `Resize, ${mode}, ${coordinate_transformation_mode}`,
  (table) =>
    table.one('Resize', ['x', '', table.constant([4], [1, 1, 2, 2])], {
      texts: { mode, coordinate_transformation_mode, ...more },
    }),
]
const padded = (mode: string): Row => [
  `Pad, ${mode}`,
  (table) =>
    table.one('Pad', ['x', table.list(0, 0, 1, 2, 0, 0, 3, 1), ...(mode === 'constant' ? [table.number(0.5)] : [])], {
      texts: { mode },
    }),
]

const rows: Row[] = [
  ...['Abs', 'Ceil', 'Cos', 'Erf', 'Exp', 'Floor', 'Neg', 'Relu', 'Sigmoid', 'Sin', 'Softplus', 'Softsign'].map(unary),
  ...['Tanh', 'Identity', 'Elu', 'HardSigmoid'].map(unary),
  ...['Log', 'Sqrt', 'Reciprocal'].map((op): Row => [op, (table) => table.one(op, [positive(table)])]),
  ['LeakyRelu', (table) => table.one('LeakyRelu', ['x'], { floats: { alpha: 0.3 } })],
  ['PRelu', (table) => table.one('PRelu', ['x', table.weight([6, 1, 1])])],
  ['Clip', (table) => table.one('Clip', ['x', table.number(-0.25), table.number(0.5)])],
  ['Clip below', (table) => table.one('Clip', ['x', table.number(-0.25)])],
  ['Add of channels', (table) => table.one('Add', ['x', table.weight([6, 1, 1])])],
  ['Sub of a column', (table) => table.one('Sub', ['x', table.weight([10])])],
  ['Mul of lines', (table) => table.one('Mul', [table.weight([8, 1]), 'x'])],
  ['Div by a picture', (table) => table.one('Div', ['x', positive(table)])],
  ['Pow', (table) => table.one('Pow', [positive(table), table.number(1.5)])],
  [
    'Max and Min',
    (table) => table.one('Min', [table.one('Max', ['x', table.number(-0.2)]), table.weight([1, 6, 1, 1])]),
  ],
  ['Sum', (table) => table.one('Sum', ['x', 'x', table.weight([1, 6, 8, 10])])],
  reduced('ReduceMean', [2, 3], 1),
  reduced('ReduceMean', [2, 3], 0),
  ['ReduceSum', (table) => table.one('ReduceSum', ['x', table.list(1, 3)], { ints: { keepdims: 0 } })],
  reduced('ReduceMax', [-1], 0),
  reduced('ReduceMin', [1, 2], 0),
  reduced('ReduceL2', [1], 1),
  reduced('ReduceSumSquare', [2], 0),
  ['GlobalAveragePool', (table) => table.one('GlobalAveragePool', ['x'])],
  ['AveragePool', (table) => table.one('AveragePool', ['x'], { ints: { kernel_shape: [2, 2], strides: [2, 2] } })],
  [
    'MaxPool, padded',
    (table) => table.one('MaxPool', ['x'], { ints: { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] } }),
  ],
  ['Conv', (table) => table.one('Conv', ['x', table.weight([5, 6, 3, 3]), table.weight([5])], pads(1))],
  ['Conv in groups', (table) => table.one('Conv', ['x', table.weight([6, 1, 3, 3])], { ints: { group: 6 } })],
  [
    'Conv, dilated, in steps',
    (table) => table.one('Conv', ['x', table.weight([4, 6, 3, 3])], { ints: { strides: [2, 1], dilations: [1, 2] } }),
  ],
  [
    'Conv of the same size',
    (table) =>
      table.one('Conv', ['x', table.weight([4, 6, 3, 3])], {
        ints: { strides: [2, 2] },
        texts: { auto_pad: 'SAME_UPPER' },
      }),
  ],
  [
    'a large Conv, divided',
    (table) => table.one('Conv', ['wide', table.weight([40, 300, 3, 3], 0.05), table.weight([40])], pads(1)),
  ],
  [
    'two large ones, one after the other',
    (table) => {
      const first = table.one('Conv', ['wide', table.weight([100, 300, 3, 3], 0.05)], pads(1))
      const second = table.one('Conv', [table.one('Relu', [first]), table.weight([90, 100, 3, 3], 0.05)], pads(1))
      return table.one('Add', [second, table.one('Slice', [first, table.list(0), table.list(90), table.list(1)])])
    },
  ],
  [
    'a large Conv in steps',
    (table) =>
      table.one('Conv', ['wide', table.weight([150, 300, 3, 3], 0.05)], {
        ints: { strides: [2, 2], pads: [1, 0, 1, 2] },
      }),
  ],
  [
    'ConvTranspose',
    (table) =>
      table.one('ConvTranspose', ['x', table.weight([6, 4, 4, 4]), table.weight([4])], {
        ints: { strides: [2, 2], pads: [1, 1, 1, 1] },
      }),
  ],
  [
    'Gemm',
    (table) =>
      table.one('Gemm', ['row', table.weight([7, 12]), table.weight([7])], {
        ints: { transB: 1 },
        floats: { alpha: 0.5 },
      }),
  ],
  ['MatMul', (table) => table.one('MatMul', ['row', table.weight([12, 9])])],
  ['MatMul of pictures', (table) => table.one('MatMul', ['x', table.weight([10, 3])])],
  [
    'BatchNormalization',
    (table) => {
      const variance = table.constant([6], [1, 2, 3, 0.5, 1, 4])
      return table.one('BatchNormalization', ['x', ...[1, 2, 3].map(() => table.weight([6])), variance])
    },
  ],
  [
    'InstanceNormalization',
    (table) =>
      table.one('InstanceNormalization', ['x', table.weight([6]), table.weight([6])], { floats: { epsilon: 1e-4 } }),
  ],
  ['Softmax', (table) => table.one('Softmax', ['x'], { ints: { axis: 1 } })],
  ['Transpose', (table) => table.one('Transpose', ['x'], { ints: { perm: [0, 2, 1, 3] } })],
  ['Reshape', (table) => table.one('Reshape', ['x', table.list(0, 3, -1, 5)])],
  ['Flatten', (table) => table.one('Flatten', ['x'], { ints: { axis: 2 } })],
  ['Squeeze', (table) => table.one('Squeeze', ['x', table.list(0)])],
  ['Unsqueeze', (table) => table.one('Unsqueeze', ['row', table.list(2, 3)])],
  ['Expand', (table) => table.one('Expand', [table.one('Unsqueeze', ['row', table.list(1)]), table.list(1, 3, 12)])],
  ['Concat', (table) => table.one('Concat', ['x', table.one('Neg', ['x'])], { ints: { axis: -3 } })],
  ['Split', (table) => table.node('Split', ['x', table.list(2, 4)], { ints: { axis: 1 } }, 2)[1] ?? ''],
  [
    'Slice',
    (table) =>
      table.one('Slice', [
        'x',
        ...[
          [1, -7],
          [6, 9],
          [1, 3],
          [2, 3],
        ].map((each) => table.list(...each)),
      ]),
  ],
  padded('constant'),
  padded('reflect'),
  resized('nearest', 'asymmetric', { nearest_mode: 'floor' }),
  resized('nearest', 'half_pixel'),
  resized('linear', 'half_pixel'),
  resized('linear', 'pytorch_half_pixel'),
  [
    'weights that are computed',
    (table) => {
      const half = table.one('Div', [table.number(3), table.number(2)])
      const channels = table.one('Unsqueeze', [table.weight([6]), table.list(1, 2)])
      return table.one('Mul', ['x', table.one('Mul', [channels, half])])
    },
  ],
  [
    'sizes that are halved',
    (table) => {
      const shape = table.one('Slice', [table.one('Shape', ['x']), table.list(1), table.list(3)])
      const less = table.one('Div', [shape, table.list(4, 3)])
      return table.one('Reshape', ['x', table.one('Concat', [less, table.list(-1)], { ints: { axis: 0 } })])
    },
  ],
  [
    'sizes that are computed',
    (table) => {
      const shape = table.one('Shape', ['x'])
      const first = table.one('Gather', [shape, table.constant([], [1], 'int64')], { ints: { axis: 0 } })
      const lists = [table.one('Unsqueeze', [first, table.list(0)]), table.list(-1)]
      return table.one('Reshape', ['x', table.one('Concat', lists, { ints: { axis: 0 } })])
    },
  ],
]

function pads(size: number): { ints: { pads: number[] } } {
  return { ints: { pads: [size, size, size, size] } }
}

describe.runIf(process.platform === 'linux')('an operator', () => {
  /** By its row: what the engine says, and what onnxruntime-node does. */
  const answers = new Map<string, { native: number[]; expected: number[] }>()

  beforeAll(async () => {
    const given: Input[] = inputs.map(({ name, dims }, index) => ({
      ...{ name, type: 'float32', dims: dims as number[], data: noise(product(dims), 1000 + index) },
    }))
    const table = new Table('float32')
    const flat = rows.map(([, make]) => table.one('Reshape', [make(table), table.list(1, -1)]))
    const row = (names: string[], output: string): Node => ({
      op: 'Concat',
      inputs: names,
      outputs: [output],
      ints: { axis: 1 },
    })
    const modelOf = (names: string[]): Uint8Array =>
      encodeModel({
        ...{ nodes: [...table.nodes, row(names, 'output')], initializers: table.initializers, inputs },
        outputs: [{ name: 'output', dims: [1, 'length'] }],
      })
    const { values = [], error, ranOn } = await infer(modelOf(flat), given, 'output', 'webnn')
    expect([error, ranOn]).toEqual([undefined, { backends: ['webnn'], fellBack: null }])
    let start = 0
    for (const [index, [name]] of rows.entries()) {
      const session = await createSession(runtime, modelOf(flat.slice(index, index + 1)), 'cpu')
      const expected = [...(await session.run(given, 'output'))]
      answers.set(name, { native: values.slice(start, start + expected.length), expected })
      start += expected.length
    }
    expect(start).toBe(values.length)
  })

  it.each(rows.map(([name]) => name))('is computed as onnxruntime-node does: %s', (name) => {
    const { native = [], expected = [] } = answers.get(name) ?? {}
    const size = Math.max(1, ...expected.map(Math.abs))
    const off = expected.map((value, index) => Math.abs(value - (native[index] ?? NaN)) / size)
    expect(expected.length).toBeGreaterThan(0)
    expect(Math.max(...off)).toBeLessThan(1e-5)
  })
})

describe.runIf(process.platform === 'linux')('a model', () => {
  const spec = swapperSpec('inswapper')

  it('that recognises people, with weights of 8 bits, answers as by onnxruntime-node', async () => {
    const bytes = readFileSync('resources/models/sface_int8.onnx')
    const picture = noise(3 * 112 * 112, 1).map((value) => 127 + 127 * value)
    const face: Input = { name: 'data', type: 'float32', dims: [1, 3, 112, 112], data: picture }
    const { values = [], ranOn } = await infer(bytes, [face], 'fc1', 'webnn')
    const expected = await (await createSession(runtime, bytes, 'cpu')).run([face], 'fc1')
    expect([ranOn, values.length]).toEqual([{ backends: ['webnn'], fellBack: null }, 128])
    expect(Math.max(...values.map((value, at) => Math.abs(value - (expected[at] ?? NaN))))).toBeLessThan(1e-4)
  })

  it.each([
    ['of 16 bits', { paint: 'colour', weights: 'float16' }],
    ['that uses one of its inputs only', { paint: 'identity' }],
  ] as const)('%s works natively', async (_, options) => {
    writeFileSync(at('good.onnx'), swapper('inswapper', options))
    const step = { kind: 'check', model: { path: at('good.onnx'), spec }, dir: folder }
    const check = await engine.ask<ModelCheck>(step)
    expect(check).toMatchObject({ wasm: { problem: null }, webnn: { problem: null } })
    expect(check?.webnn.runMs).toBeGreaterThan(0)
  })

  it('with an operator that isn’t translated runs in WebAssembly', async () => {
    const model = encodeModel({
      nodes: [{ op: 'Hardmax', inputs: ['row'], outputs: ['output'], ints: { axis: 1 } }],
      ...{ inputs: [{ name: 'row', dims: [1, 12] }], outputs: [{ name: 'output', dims: [1, 12] }] },
    })
    const row: Input = { name: 'row', type: 'float32', dims: [1, 12], data: noise(12, 1) }
    const { values, ranOn } = await infer(model, [row], 'output', 'webnn')
    expect(ranOn).toEqual({ backends: ['wasm'], fellBack: 'failed' })
    expect(values?.filter((value) => value === 1)).toHaveLength(1)
  })

  it('goes on in WebAssembly when the process in which it runs is gone', async () => {
    writeFileSync(at('swapper.onnx'), swapper('inswapper', { paint: 'colour', gain: 0.2 }))
    writeFileSync(at('recogniser.onnx'), recogniser())
    const method = {
      swapper: { path: at('swapper.onnx'), spec },
      recogniser: { path: at('recogniser.onnx'), spec: recogniserSpec },
      ...{ converter: null, strength: 0.5, backend: 'webnn' },
    }
    const video = await shortClip(at('clip.mp4'), 40)
    const ended: Promise<unknown>[] = []
    engine.onProgress = ({ framesDone }) => {
      if (framesDone > 5 && ended.length === 0) ended.push(engine.run({ kind: 'end-gpu', dir: folder }))
    }
    const step = { kind: 'swap', told: true, face: sample.face, video, dir: at('swap'), method }
    const { ranOn, swappedFrames } = (await engine.ask<SwapResult>(step)) ?? {}
    expect(await Promise.all(ended)).toEqual([{ result: [true] }])
    expect([ranOn, swappedFrames]).toEqual([{ backends: ['webnn', 'wasm'], fellBack: 'failed' }, 40])
  })
})
