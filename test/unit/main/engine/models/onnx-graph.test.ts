import { truncateSync, writeFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { readOnnxGraph } from '../../../../../src/main/engine/models/onnx-graph.ts'
import { MienError } from '../../../../../src/shared/errors.ts'
import {
  bytes,
  encodeGraph,
  encodeModel,
  join,
  number,
  tensorHead,
  varint,
  wrapGraph,
  type Graph,
} from '../../../../fixtures/onnx.ts'
import { recogniser } from '../../../../fixtures/swap-models.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

let path: string
beforeEach(() => {
  path = joinPath(tempDir(), 'model.onnx')
})

const read = (content: Uint8Array | string) => {
  writeFileSync(path, content)
  return readOnnxGraph(path)
}

const small: Graph = {
  nodes: [{ op: 'Identity', inputs: ['target'], outputs: ['output'] }],
  inputs: [{ name: 'target', dims: [1, 3, 8, 8] }],
  outputs: [{ name: 'output', dims: ['n', 3, 8, 8] }],
}
const withGraph = (...fields: Uint8Array[]): Uint8Array => wrapGraph(encodeGraph(small, ...fields))

describe('the graph of a model', () => {
  it('has the inputs and outputs with their types and dimensions', async () => {
    expect(await read(encodeModel({ ...small, inputs: [{ name: 'x', dims: [1, 2], type: 'float16' }] }))).toEqual({
      inputs: [{ name: 'x', type: 'float16', dims: [1, 2] }],
      outputs: [{ name: 'output', type: 'float32', dims: [null, 3, 8, 8] }],
      initializers: 0,
      lastInitializer: null,
    })
  })

  it('has no inputs that are initializers', async () => {
    const weights = { name: 'w', dims: [2], data: [1, 2] }
    const inputs = [...small.inputs, { name: 'w', dims: [2] }]
    const graph = await read(encodeModel({ ...small, inputs, initializers: [weights] }))
    expect(graph.inputs.map(({ name }) => name)).toEqual(['target'])
  })

  it('is the same with packed dimensions', async () => {
    const tensor = join(bytes(1, join(varint(512), varint(3))), number(2, 1), bytes(8, 'w'))
    const graph = await read(withGraph(bytes(5, tensor)))
    expect(graph.lastInitializer).toEqual({ name: 'w', type: 'float32', dims: [512, 3], dataBytes: 0 })
  })

  it('is read whatever is nested in its nodes and its types, however deep', async () => {
    let node: Uint8Array = bytes(4, 'Identity')
    let type: Uint8Array = new Uint8Array(0)
    for (let depth = 0; depth < 2000; depth += 1) {
      // The attribute's graph with one node; a sequence of the type.
      node = join(bytes(4, 'If'), bytes(5, join(bytes(1, 'then_branch'), bytes(6, bytes(1, node)), number(20, 5))))
      type = bytes(4, bytes(1, type))
    }
    const output = join(bytes(1, 'deep'), bytes(2, type))
    const graph = await read(withGraph(bytes(1, node), bytes(12, output)))
    expect(graph.inputs.map(({ name }) => name)).toEqual(['target'])
    expect(graph.outputs.at(-1)).toEqual({ name: 'deep', type: 'other', dims: [] })
  })

  it('takes -1 for a dynamic dimension', async () => {
    const graph = await read(encodeModel({ ...small, inputs: [{ name: 'x', dims: [-1, 3] }] }))
    expect(graph.inputs[0]?.dims).toEqual([null, 3])
  })

  it('is found in a file of nearly 2 GB, whose weights are skipped', async () => {
    const length = 2_000_000_000
    const tensor = join(tensorHead({ name: 'w', dims: [length / 4] }), bytes(9, '', length))
    const size = tensor.length + length
    // Before the inputs: they are read at the file's end.
    const rest = encodeGraph({ ...small, nodes: [] })
    const graph = join(bytes(5, tensor, size), new Uint8Array(0))
    const head = join(
      number(1, 8),
      bytes(8, join(bytes(1, ''), number(2, 13))),
      bytes(7, graph, graph.length + length + rest.length),
    )
    writeFileSync(path, head)
    truncateSync(path, head.length + length)
    writeFileSync(path, rest, { flag: 'a' })
    const before = process.memoryUsage().arrayBuffers
    const { inputs, lastInitializer } = await readOnnxGraph(path)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000)
    expect(inputs[0]?.name).toBe('target')
    expect(lastInitializer).toEqual({ name: 'w', type: 'float32', dims: [length / 4], dataBytes: length })
  })

  it('is read whatever is nested in its nodes', async () => {
    let nested: Uint8Array = encodeGraph(small)
    for (let depth = 0; depth < 200; depth++) nested = bytes(1, bytes(5, bytes(6, nested)))
    expect((await read(withGraph(nested))).inputs).toHaveLength(1)
  })
})

describe('a file that is refused', () => {
  const tensor = tensorHead({ name: 'w', dims: [4] })
  const many = join(...Array.from({ length: 1000 }, () => number(6, 1)))

  it.each<[string, Uint8Array | string, object]>([
    ['a text', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n', { reason: 'kind', kind: 'text' }],
    ['a page', '<!doctype html><title>Not found</title>', { reason: 'kind', kind: 'text' }],
    ['an archive', Buffer.from('PK\u0003\u0004\u0014\0\0\0\b\0model'), { reason: 'kind', kind: 'ZIP' }],
    ['zeros', new Uint8Array(1000), { reason: 'not-onnx' }],
    ['endless varints', join(number(1, 8), new Uint8Array(100_000).fill(0xff)), { reason: 'damaged' }],
    ['a message without a graph', number(1, 8), { reason: 'not-onnx' }],
    ['a graph without a version', bytes(7, encodeGraph(small)), { reason: 'not-onnx' }],
    ['a model cut off', encodeModel(small).subarray(0, -3), { reason: 'cut-off' }],
    ['a length of 2^64', join(number(1, 8), bytes(7, '', 2n ** 64n - 1n)), { reason: 'cut-off' }],
    [
      'an endless length',
      join(number(1, 8), varint((7 << 3) | 2), new Uint8Array(20).fill(0xff)),
      { reason: 'damaged' },
    ],
    ['a part longer than the graph', withGraph(bytes(5, tensor, 1000)), { reason: 'cut-off' }],
    [
      'a part longer than its message',
      withGraph(bytes(11, bytes(1, 'x', 50)), bytes(2, 'y'.repeat(99))),
      { reason: 'damaged' },
    ],
    [
      'a number of eleven bytes',
      join(number(1, 8), varint(6 << 3), new Uint8Array(10).fill(0x80), varint(1), wrapGraph(encodeGraph(small))),
      { reason: 'damaged' },
    ],
    ['a group', join(number(1, 8), varint((7 << 3) | 3)), { reason: 'damaged' }],
    ['two graphs', join(wrapGraph(encodeGraph(small)), bytes(7, encodeGraph(small))), { reason: 'damaged' }],
    ['a field 0', join(number(1, 8), number(0, 1)), { reason: 'damaged' }],
    [
      'a long name',
      encodeModel({ ...small, inputs: [{ name: 'x'.repeat(1001), dims: [1] }] }),
      { reason: 'too-complex' },
    ],
    [
      'many dimensions',
      encodeModel({ ...small, inputs: [{ name: 'x', dims: Array<number>(9).fill(1) }] }),
      { reason: 'too-complex' },
    ],
    ['many fields', withGraph(...Array.from({ length: 201 }, () => many)), { reason: 'too-complex' }],
    [
      'many initializers',
      withGraph(...Array.from({ length: 20_001 }, (_, at) => bytes(5, bytes(8, String(at))))),
      { reason: 'too-complex' },
    ],
    ['weights in another file', withGraph(bytes(5, join(tensor, number(14, 1)))), { reason: 'external' }],
    [
      'weights at a path',
      withGraph(bytes(5, join(tensor, bytes(13, join(bytes(1, 'location'), bytes(2, '../../secret')))))),
      { reason: 'external' },
    ],
    ['an old opset', encodeModel(small, 6), { reason: 'opset' }],
    ['a new opset', encodeModel(small, 27), { reason: 'opset' }],
    ['an opset of 2^64', wrapGraph(encodeGraph(small), -1), { reason: 'opset' }],
  ])('%s', async (_, content, details) => {
    await expect(read(content)).rejects.toMatchObject({ code: 'model-unreadable', details })
  })

  it('4 GB', async () => {
    writeFileSync(path, encodeModel(small))
    truncateSync(path, 2 ** 32 + 100)
    await expect(readOnnxGraph(path)).rejects.toMatchObject({ details: { reason: 'too-large' } })
  })

  it('one that is missing', async () => {
    await expect(readOnnxGraph(path)).rejects.toMatchObject({ code: 'file-missing' })
  })

  it('any part of a model', async () => {
    const model = recogniser()
    for (let length = 0; length < model.length; length += 7)
      await expect(read(model.subarray(0, length))).rejects.toMatchObject({ code: 'model-unreadable' })
  })

  it('or is read, with any change of its bytes', async () => {
    const model = recogniser()
    const change = fc.record({ at: fc.nat(model.length - 1), to: fc.uint8Array({ minLength: 1, maxLength: 12 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const changed = Uint8Array.from(model)
        for (const { at, to } of changes) changed.set(to.subarray(0, model.length - at), at)
        const error: unknown = await read(changed).then(
          () => null,
          (thrown: unknown) => thrown,
        )
        expect(error === null || (error instanceof MienError && error.code === 'model-unreadable')).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
