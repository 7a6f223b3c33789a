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
})

describe('a file that is refused', () => {
  const tensor = tensorHead({ name: 'w', dims: [4] })
  const many = join(...Array.from({ length: 1000 }, () => number(6, 1)))

  const version = number(1, 8)
  const inputs = (name: string, dims: number[]) => encodeModel({ ...small, inputs: [{ name, dims }] })
  const secret = bytes(13, join(bytes(1, 'location'), bytes(2, '../../secret')))
  const weights = Array.from({ length: 20_001 }, (_, at) => bytes(5, bytes(8, String(at))))
  const elevenBytes = join(new Uint8Array(10).fill(0x80), varint(1))

  it.each<[string, Uint8Array | string, reason: string, kind?: string]>([
    ['a text', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n', 'kind', 'text'],
    ['a page', '<!doctype html><title>Not found</title>', 'kind', 'text'],
    ['an archive', Buffer.from('PK\u0003\u0004\u0014\0\0\0\b\0model'), 'kind', 'ZIP'],
    ['zeros', new Uint8Array(1000), 'not-onnx'],
    ['endless varints', join(version, new Uint8Array(100_000).fill(0xff)), 'damaged'],
    ['a message without a graph', version, 'not-onnx'],
    ['a graph without a version', bytes(7, encodeGraph(small)), 'not-onnx'],
    ['a model cut off', encodeModel(small).subarray(0, -3), 'cut-off'],
    ['a length of 2^64', join(version, bytes(7, '', 2n ** 64n - 1n)), 'cut-off'],
    ['an endless length', join(version, varint((7 << 3) | 2), new Uint8Array(20).fill(0xff)), 'damaged'],
    ['a part longer than the graph', withGraph(bytes(5, tensor, 1000)), 'cut-off'],
    ['a part longer than its message', withGraph(bytes(11, bytes(1, 'x', 50)), bytes(2, 'y'.repeat(99))), 'damaged'],
    ['a number of eleven bytes', join(version, varint(6 << 3), elevenBytes, wrapGraph(encodeGraph(small))), 'damaged'],
    ['a group', join(version, varint((7 << 3) | 3)), 'damaged'],
    ['two graphs', join(wrapGraph(encodeGraph(small)), bytes(7, encodeGraph(small))), 'damaged'],
    ['a field 0', join(version, number(0, 1)), 'damaged'],
    ['a long name', inputs('x'.repeat(1001), [1]), 'too-complex'],
    ['many dimensions', inputs('x', Array<number>(9).fill(1)), 'too-complex'],
    ['many fields', withGraph(...Array<Uint8Array>(201).fill(many)), 'too-complex'],
    ['many initializers', withGraph(...weights), 'too-complex'],
    ['weights in another file', withGraph(bytes(5, join(tensor, number(14, 1)))), 'external'],
    ['weights at a path', withGraph(bytes(5, join(tensor, secret))), 'external'],
    ['an old opset', encodeModel(small, 6), 'opset'],
    ['a new opset', encodeModel(small, 27), 'opset'],
    ['an opset of 2^64', wrapGraph(encodeGraph(small), -1), 'opset'],
  ])('%s', async (_, content, reason, kind) => {
    const details = kind === undefined ? { reason } : { reason, kind }
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
