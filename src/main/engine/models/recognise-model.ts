/** @file Finds out which model a file is, by its inputs and outputs, its name and its manifest. Pure. */
import { MienError, type ErrorDetails } from '@shared/errors.ts'
import {
  converterFamilies,
  familyContracts,
  modelFamilies,
  modelSpecSchema,
  recogniserContract,
  type ModelFamily,
  type ModelSpec,
  type ModelTensor,
} from '@shared/engine/models.ts'
import type { Manifest } from './manifest.ts'
import type { OnnxGraph, OnnxInitializer, OnnxValue } from './onnx-graph.ts'

/** Length of all embeddings here. */
const embeddingLength = 512

/** The recogniser that all families were trained with, by both of its names. Others have the same inputs. */
export const usualRecogniser = /w600k_r50/i

/** Words in file names. */
const familyWords: Record<ModelFamily, RegExp> = {
  inswapper: /inswapper/i,
  hyperswap: /hyperswap/i,
  ghost: /ghost/i,
  simswap: /simswap/i,
  'simswap-512': /simswap/i,
  hififace: /hififace/i,
  uniface: /uniface/i,
  blendswap: /blendswap/i,
}

export interface Candidate {
  graph: OnnxGraph
  fileName: string
  manifest: Manifest | null
}

/**
 * @throws MienError `model-unknown` with a `reason`: `kind` (not a model for swaps; `inputs` describes it), `family`
 * (Mien can't tell which of `families` it is), `mismatch` (its name or manifest says `family`, but the inputs and
 * outputs differ), `recogniser` (not the usual one), `inputs` (Mien can't tell source from target), `names` (the
 * manifest names `tensor`, which the model doesn't have)
 */
export function recogniseModel(candidate: Candidate): ModelSpec {
  const spec = modelSpecSchema.safeParse(specOf(candidate))
  // Its names or its size exceed the limits.
  if (!spec.success) throw notForSwaps(candidate.graph)
  return spec.data
}

function specOf({ graph, fileName, manifest }: Candidate): ModelSpec {
  const { names = {} } = manifest ?? {}
  const output = pick(graph.outputs, names.output)
  if (output === undefined) throw notForSwaps(graph)
  if (graph.inputs.length === 2) {
    if (manifest !== null && manifest.role !== 'swapper') throw unknown('mismatch', { family: manifest.role })
    return swapperSpec(graph, output, fileName, manifest)
  }
  const input = pick(graph.inputs, names.input)
  if (input === undefined || graph.inputs.length > 1 || !isVector(output)) throw notForSwaps(graph)
  const tensors = { input: tensorOf(input), output: tensorOf(output) }
  if (isPicture(input, recogniserContract.size) && (manifest === null || manifest.role === 'recogniser')) {
    if (manifest === null && !usualRecogniser.test(fileName)) throw unknown('recogniser')
    return { role: 'recogniser', ...recogniserContract, ...overrides(manifest), ...tensors }
  }
  if (isVector(input) && (manifest === null || manifest.role === 'converter')) {
    const family = manifest?.family ?? converterFamilies.find((each) => familyWords[each].test(fileName))
    if (family === undefined) throw unknown('family', { families: converterFamilies.join(', ') })
    return { role: 'converter', family, ...tensors }
  }
  throw notForSwaps(graph)
}

type SwapperManifest = Extract<Manifest, { role: 'swapper' }>

function swapperSpec(
  graph: OnnxGraph,
  output: OnnxValue,
  fileName: string,
  manifest: SwapperManifest | null,
): ModelSpec {
  const { source, target } = inputsOf(graph, manifest)
  const size = sizeOf(target)
  const fits = (family: ModelFamily): boolean => {
    const contract = familyContracts[family]
    // With a manifest, a model may have another size than its family has.
    const wanted = manifest && size !== null ? size : contract.size
    if (!isPicture(target, wanted) || !(isPicture(output, wanted) || output.dims.length === 0)) return false
    if (contract.source.kind === 'picture') return isPicture(source, contract.source.size)
    return isVector(source) && (contract.source.embedding !== 'emap' || hasEmap(graph.lastInitializer))
  }
  const family = manifest?.family ?? familyOf(graph, fileName, modelFamilies.filter(fits))
  if (!fits(family)) throw unknown('mismatch', { family })
  const contract = familyContracts[family]
  return {
    ...{ role: 'swapper', family, ...contract, ...overrides(manifest) },
    ...(manifest && size !== null ? { size } : {}),
    inputs: { source: tensorOf(source), target: tensorOf(target) },
    output: tensorOf(output),
  }
}

/** The family among those that fit the inputs and outputs. */
function familyOf(graph: OnnxGraph, fileName: string, fitting: ModelFamily[]): ModelFamily {
  if (fitting.length === 0) throw notForSwaps(graph)
  const said = modelFamilies.filter((family) => familyWords[family].test(fileName))
  const both = said.length === 0 ? fitting : fitting.filter((family) => said.includes(family))
  const [family, another] = both
  if (family === undefined) throw unknown('mismatch', { family: said.join(', ') })
  if (another !== undefined) throw unknown('family', { families: both.join(', ') })
  return family
}

/** Whether it can be inswapper's matrix. The engine reads it. */
function hasEmap(initializer: OnnxInitializer | null): boolean {
  if (initializer === null || initializer.type === 'other') return false
  const { type, dims, dataBytes } = initializer
  const isSquare = dims.length === 2 && dims.every((dim) => dim === embeddingLength)
  return isSquare && dataBytes === embeddingLength ** 2 * (type === 'float32' ? 4 : 2)
}

function inputsOf({ inputs }: OnnxGraph, manifest: Manifest | null): Record<'source' | 'target', OnnxValue> {
  const { names = {} } = manifest ?? {}
  const byName = (name: string): OnnxValue | undefined => inputs.find((input) => input.name === name)
  const vector = inputs.find((input) => isVector(input))
  const [first, second] = inputs.toSorted((a, b) => (sizeOf(a) ?? 0) - (sizeOf(b) ?? 0))
  const differ = first && second && sizeOf(first) !== sizeOf(second)
  const source =
    names.source === undefined
      ? (byName('source') ?? vector ?? (differ ? first : undefined))
      : pick(inputs, names.source)
  const target = names.target === undefined ? inputs.find((input) => input !== source) : pick(inputs, names.target)
  if (!source || !target || source === target) throw unknown('inputs')
  return { source, target }
}

/** What a manifest says about the pictures. */
function overrides(manifest: Manifest | null) {
  if (manifest === null || manifest.role === 'converter') return {}
  const { template, mean, std } = manifest
  const denormalise = manifest.role === 'swapper' ? manifest.denormalise : undefined
  return {
    ...(template && { template }),
    ...(mean && { mean }),
    ...(std && { std }),
    ...(denormalise !== undefined && { denormalise }),
  }
}

/** The value with a name; the first one if the name is undefined. */
function pick(values: readonly OnnxValue[], name: string | undefined): OnnxValue | undefined {
  if (name === undefined) return values[0]
  const found = values.find((value) => value.name === name)
  if (!found) throw unknown('names', { tensor: name })
  return found
}

/** Whether the value may have these dimensions. */
const hasDims = ({ dims, type }: OnnxValue, wanted: readonly number[]): boolean =>
  type !== 'other' && dims.length === wanted.length && dims.every((dim, index) => dim === null || dim === wanted[index])

const isPicture = (value: OnnxValue, size: number): boolean => hasDims(value, [1, 3, size, size])
const isVector = (value: OnnxValue): boolean => hasDims(value, [1, embeddingLength])

/** Width in pixels; null: dynamic, or not a picture. */
const sizeOf = ({ dims }: OnnxValue): number | null => (dims.length === 4 ? (dims[3] ?? null) : null)

function tensorOf({ name, type }: OnnxValue): ModelTensor {
  if (type === 'other') throw unknown('kind')
  return { name, type }
}

const unknown = (reason: string, details: ErrorDetails = {}): MienError =>
  new MienError('model-unknown', { reason, ...details })

/** Describes the inputs, so that a user's report of a model says enough. */
const notForSwaps = ({ inputs }: OnnxGraph): MienError =>
  unknown('kind', {
    inputs: inputs
      .slice(0, 4)
      .map(({ name, dims }) => `${name.slice(0, 40)} [${dims.map((dim) => dim ?? '?').join(' × ')}]`)
      .join(', '),
  })
