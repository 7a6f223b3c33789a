/** @file The fixed input of a model's check, and what is wrong with an output. */
import type { ModelTrial } from '@shared/engine/engine.ts'
import type { ModelSpec, ModelTensor } from '@shared/engine/models.ts'
import { denormalise, normalise } from './crop.ts'
import type { Input } from './sessions.ts'

type Problem = ModelTrial['problem']

/** Numbers of a recogniser's embedding. */
const embeddingLength = 512

/** Smooth shades that differ by channel: a model for faces answers with a picture, not with noise. */
function picture(size: number): Float32Array {
  const count = size * size
  return Float32Array.from({ length: 3 * count }, (_, at) => {
    const [channel, x, y] = [Math.floor(at / count), (at % size) / size, Math.floor((at % count) / size) / size]
    return 0.5 + 0.3 * Math.sin(7 * x + channel) * Math.cos(5 * y - channel)
  })
}

/** A vector of length 1. */
const embedding = (): Float32Array =>
  Float32Array.from({ length: embeddingLength }, (_, at) => Math.sin(at * 1.7) * Math.sqrt(2 / embeddingLength))

type Shape = Parameters<typeof normalise>[1] & { size: number }

const pictureInput = (tensor: ModelTensor, shape: Shape): Input => ({
  ...tensor,
  dims: [1, 3, shape.size, shape.size],
  data: normalise(picture(shape.size), shape),
})
const embeddingInput = (tensor: ModelTensor): Input => ({
  ...tensor,
  dims: [1, embeddingLength],
  data: embedding(),
})

export function probeInputs(spec: ModelSpec): Input[] {
  switch (spec.role) {
    case 'recogniser':
      return [pictureInput(spec.input, spec)]
    case 'converter':
      return [embeddingInput(spec.input)]
    case 'swapper': {
      const { source, target } = spec.inputs
      const from = spec.source.kind === 'picture' ? pictureInput(source, spec.source) : embeddingInput(source)
      return [from, pictureInput(target, spec)]
    }
  }
}

/** Standard deviation below which a picture or an embedding is the same everywhere. */
const minSpread = 1e-3
/** Share of a picture's values that may lie far outside of 0…1 before they are clipped. */
const maxOutside = 0.2
const [minValue, maxValue] = [-0.5, 1.5]

/** What is wrong with an output; null for nothing. */
export function problemOf(spec: ModelSpec, output: Float32Array): Problem {
  const expected = spec.role === 'swapper' ? 3 * spec.size * spec.size : embeddingLength
  if (output.length !== expected) return 'scale'
  if (!output.every(Number.isFinite)) return 'not-a-number'
  if (spreadOf(output) < minSpread) return 'grey'
  if (spec.role !== 'swapper') return null
  const values = spec.denormalise ? scaled(output, spec) : output
  const outside = values.reduce((count, value) => count + (value < minValue || value > maxValue ? 1 : 0), 0)
  if (outside > maxOutside * values.length) return 'scale'
  return spreadOf(denormalise(output.slice(), spec)) < minSpread ? 'grey' : null
}

/** The output before it is clipped. */
function scaled(output: Float32Array, { mean, std }: Shape): Float32Array {
  const count = output.length / 3
  return output.map((value, at) => value * (std[(at / count) | 0] ?? 1) + (mean[(at / count) | 0] ?? 0))
}

function spreadOf(values: Float32Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

/** Mean difference of two pictures, and of two embeddings relative to their size, that rounding doesn't explain. */
const maxDifference = { picture: 2 / 255, embedding: 0.05 }

/** Whether two backends answer differently. */
export function areDifferent(spec: ModelSpec, one: Float32Array, other: Float32Array): boolean {
  if (one.length !== other.length) return true
  const isPicture = spec.role === 'swapper'
  const [a, b] = isPicture ? [denormalise(one.slice(), spec), denormalise(other.slice(), spec)] : [one, other]
  const meanOf = (values: Float32Array): number =>
    values.reduce((sum, value) => sum + Math.abs(value), 0) / values.length
  const difference = meanOf(a.map((value, at) => value - (b[at] ?? 0)))
  return isPicture ? difference > maxDifference.picture : difference > maxDifference.embedding * meanOf(a)
}
