import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { licenceOf, readManifest } from '../../../../../src/main/engine/models/manifest.ts'
import { readOnnxGraph } from '../../../../../src/main/engine/models/onnx-graph.ts'
import { recogniseModel } from '../../../../../src/main/engine/models/recognise-model.ts'
import { familyContracts, recogniserContract, type ModelFamily } from '../../../../../src/shared/engine/models.ts'
import { encodeModel, type Initializer, type Value } from '../../../../fixtures/onnx.ts'
import { converter, recogniser, swapper } from '../../../../fixtures/swap-models.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const inDir = tempPaths()

/** Writes a model and its manifest, and recognises it. */
async function recognise(fileName: string, content: Uint8Array, manifest?: object | string) {
  const path = inDir(fileName)
  writeFileSync(path, content)
  if (manifest !== undefined)
    writeFileSync(path.replace('.onnx', '.json'), typeof manifest === 'string' ? manifest : JSON.stringify(manifest))
  return recogniseModel({ graph: await readOnnxGraph(path), fileName, manifest: await readManifest(path) })
}

const made = (family: ModelFamily, more: object = {}): Uint8Array => swapper(family, { paint: 'grey', ...more })
const float = (name: string, type = 'float32') => ({ name, type })
const odd = { source: 'onnx::Gemm_1', target: 'input', output: '1234' }

describe('a swapper is recognised', () => {
  it.each<[string, ModelFamily]>([
    ['inswapper_128.onnx', 'inswapper'],
    ['hyperswap_1a_256.onnx', 'hyperswap'],
    ['ghost_3_256.onnx', 'ghost'],
    ['simswap_256.onnx', 'simswap'],
    ['simswap_unofficial_512.onnx', 'simswap-512'],
    ['hififace_unofficial_256.onnx', 'hififace'],
    ['uniface_256.onnx', 'uniface'],
    ['blendswap_256.onnx', 'blendswap'],
    // By their inputs only:
    ['my face.onnx', 'inswapper'],
    ['512.onnx', 'simswap-512'],
    ['a.onnx', 'uniface'],
    ['b.onnx', 'blendswap'],
  ])('%s is %s', async (fileName, family) => {
    expect(await recognise(fileName, made(family, { dynamicBatch: true }))).toEqual({
      ...{ role: 'swapper', family, ...familyContracts[family] },
      inputs: { source: float('source'), target: float('target') },
      output: float('output'),
    })
  })

  it('with float16 inputs and output', async () => {
    const spec = await recognise('inswapper_128_fp16.onnx', made('inswapper', { weights: 'float16', io: 'float16' }))
    expect(spec).toMatchObject({ inputs: { source: float('source', 'float16') }, output: float('output', 'float16') })
  })

  it.each<ModelFamily>(['inswapper', 'blendswap'])('%s with other names for its inputs', async (family) => {
    const spec = await recognise(`${family}.onnx`, made(family, { names: odd }))
    const inputs = { source: float(odd.source), target: float(odd.target) }
    expect(spec).toMatchObject({ family, inputs, output: float('1234') })
  })

  it('by its manifest, which overrides its family', async () => {
    const said = { template: 'ffhq_512', mean: [0, 0, 0], std: [1, 1, 1], denormalise: false }
    const manifest = { family: 'ghost', names: odd, ...said }
    const spec = await recognise('x.onnx', made('ghost', { names: odd }), manifest)
    expect(spec).toMatchObject({ family: 'ghost', ...said, needs: familyContracts.ghost.needs })
  })

  it('by its manifest, if it has two pictures of one size', async () => {
    const spec = await recognise('x.onnx', made('uniface', { names: odd }), { family: 'uniface', names: odd })
    expect(spec).toMatchObject({ inputs: { source: float(odd.source), target: float(odd.target) } })
  })

  it('by its manifest in another size than its family has', async () => {
    const spec = await recognise('x.onnx', made('simswap-512'), { family: 'simswap' })
    expect(spec).toMatchObject({ family: 'simswap', size: 512, mean: familyContracts.simswap.mean })
  })
})

describe('a recogniser or a converter is recognised', () => {
  it.each(['arcface_w600k_r50.onnx', 'w600k_r50.onnx'])('%s', async (fileName) => {
    const names = { input: 'input.1', output: '683' }
    const tensors = { input: float('input.1'), output: float('683') }
    expect(await recognise(fileName, recogniser(names))).toEqual({
      ...{ role: 'recogniser', ...recogniserContract, ...tensors },
    })
  })

  it('of another training by its manifest', async () => {
    const spec = await recognise('glintr100.onnx', recogniser(), { role: 'recogniser', template: 'arcface_112_v1' })
    expect(spec).toMatchObject({ role: 'recogniser', template: 'arcface_112_v1', mean: recogniserContract.mean })
  })

  it.each([
    ['crossface_ghost.onnx', undefined, 'ghost'],
    ['arcface_converter_simswap.onnx', undefined, 'simswap'],
    ['crossface_hififace.onnx', undefined, 'hififace'],
    ['x.onnx', { role: 'converter', family: 'ghost' }, 'ghost'],
  ])('%s', async (fileName, manifest, family) => {
    const tensors = { input: float('input'), output: float('output') }
    expect(await recognise(fileName, converter(), manifest)).toEqual({ role: 'converter', family, ...tensors })
  })
})

/** Tensors by name, with their dimensions. */
type Tensors = Record<string, (number | string)[]>
const graph = (
  inputs: Tensors,
  outputs: Tensors,
  more: { initializers?: Initializer[]; type?: Value['type'] } = {},
) => {
  const list = (tensors: Tensors): Value[] =>
    Object.entries(tensors).map(([name, dims]) => ({ name, dims, type: more.type ?? 'float32' }))
  return encodeModel({ nodes: [], inputs: list(inputs), outputs: list(outputs), initializers: more.initializers ?? [] })
}
const sized = (size: number): (number | string)[] => [1, 3, size, size]
const of512 = { source: [1, 512], target: sized(512) }
/** Like inswapper, with another last initializer, if any. */
const withLast = (...initializers: Initializer[]): Uint8Array =>
  graph({ source: [1, 512], target: sized(128) }, { output: sized(128) }, { initializers })
const matrix = { name: 'w', dims: [1024, 256], data: new Float32Array(1024 * 256) }
const wholeNumbers = graph(of512, { output: sized(512) }, { type: 'int64' })
const longName = { ...odd, output: 'x'.repeat(201) }
const twice = { family: 'ghost', names: { source: 'source', target: 'source' } }
const unknown = { family: 'ghost', names: { source: 'src' } }
const four = 'hyperswap, ghost, simswap, hififace'

const shown = (inputs: string) => ({ reason: 'kind', inputs })
const mismatch = (family: string) => ({ reason: 'mismatch', family })
const several = (families: string) => ({ reason: 'family', families })
const kind = { reason: 'kind' }
const inputs = { reason: 'inputs' }

it.each<[what: string, model: Uint8Array, details: object, name?: string | undefined, manifest?: object]>([
  ['of another kind', graph({ x: [1, 3, '?', '?'] }, { scores: ['n', 1] }), shown('x [1 × 3 × ? × ?]')],
  ['for grey pictures', graph({ x: [1, 1, 112, 112] }, { y: [1, 512] }), shown('x [1 × 1 × 112 × 112]'), 'w600k_r50'],
  ['that restores faces', graph({ x: sized(512) }, { y: sized(512) }), shown('x [1 × 3 × 512 × 512]')],
  ['without outputs', graph({ x: [1] }, {}), kind],
  ['with whole numbers', wholeNumbers, shown('source [1 × 512], target [1 × 3 × 512 × 512]')],
  ['with a long name for its output', made('inswapper', { names: longName }), kind, 'inswapper'],
  ['with a larger output', graph(of512, { output: sized(1024) }), kind],
  ['with another matrix', withLast(matrix), kind],
  ['with too short an emap', withLast({ name: 'w', dims: [512, 512], data: [1] }), kind],
  ['without an emap', withLast(), kind],
  ['called inswapper without an emap', withLast(), mismatch('inswapper'), 'inswapper', { family: 'inswapper' }],
  ['of four possible families', made('ghost'), several(four)],
  ['with a wrong name', made('inswapper'), mismatch('ghost'), 'ghost_1_256'],
  ['with a wrong manifest', made('inswapper'), mismatch('uniface'), undefined, { family: 'uniface' }],
  ['with another role', made('inswapper'), mismatch('recogniser'), undefined, { role: 'recogniser' }],
  ['that is a recogniser, not a swapper', recogniser(), kind, undefined, { family: 'ghost' }],
  ['with two alike inputs', made('uniface', { names: odd }), inputs, 'uniface'],
  ['whose manifest names one input twice', made('ghost'), inputs, undefined, twice],
  ['with an unknown name in its manifest', made('ghost'), { reason: 'names', tensor: 'src' }, undefined, unknown],
  ['that may be any recogniser', recogniser(), { reason: 'recogniser' }, 'glintr100'],
  ['that may be any converter', converter(), several('ghost, simswap, hififace')],
])('a model %s is refused', async (_, content, details, name = 'a', manifest) => {
  const recognised = recognise(`${name}.onnx`, content, manifest)
  await expect(recognised).rejects.toMatchObject({ code: 'model-unknown', details })
})

it.each<[string, object | string, RegExp]>([
  ['that isn’t JSON', 'family: ghost', /"message":""/],
  ['that is a list', '[]', /family/],
  ['without a family', {}, /family: /],
  ['with an unknown field', { family: 'ghost', tempalte: 'ffhq_512' }, /tempalte/],
  ['with an unknown template', { family: 'ghost', template: 'ffhq' }, /template: /],
  ['that divides by zero', { family: 'ghost', std: [0, 1, 1] }, /std\.0: /],
  ['that is too long', `{ "family": "ghost" }${' '.repeat(70_000)}`, /"message":""/],
])('a manifest %s is refused', async (_, manifest, message) => {
  const error = recognise('x.onnx', made('ghost'), manifest)
  await expect(error).rejects.toMatchObject({ code: 'model-manifest', details: { name: 'x.json' } })
  await expect(error).rejects.toThrow(message)
})

it.each([
  ['inswapper_128_fp16.onnx', 'non-commercial'],
  ['W600K_R50.ONNX', 'non-commercial'],
  ['hyperswap_1c_256.onnx', 'research'],
  ['ghost_2_256.onnx', 'apache-vggface2'],
  ['uniface_256.onnx', 'unknown'],
  ['my_inswapper_128.onnx', 'unknown'],
])('the licence of %s is %s', (fileName, licence) => {
  expect(licenceOf(fileName, null)).toEqual({ id: licence, text: null })
})
