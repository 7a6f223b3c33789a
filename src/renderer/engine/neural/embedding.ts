/** @file What a swapper gets of the source face, made of embeddings of 512 numbers. */
import type { SwapperSpec } from '@shared/engine/models.ts'

type EmbeddingSource = Extract<SwapperSpec['source'], { kind: 'embedding' }>

/** Bounds of the share of the video's own face, for strengths of 0 and 1. */
const share = { weak: 0.35, strong: -0.35 }
/** The strength at which the video's own face is left out. */
export const neutralStrength = 0.5

export function meanOf(embeddings: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(embeddings[0]?.length ?? 0)
  for (const embedding of embeddings)
    for (let at = 0; at < mean.length; at += 1) mean[at] = (mean[at] ?? 0) + (embedding[at] ?? 0) / embeddings.length
  return mean
}

function normOf(vector: Float32Array): number {
  let sum = 0
  for (const value of vector) sum += value * value
  return Math.max(1e-12, Math.sqrt(sum))
}

const scaled = (vector: Float32Array, by: number): Float32Array => vector.map((value) => value * by)

/**
 * The swapper's `source` tensor.
 * @param raw the recogniser's embedding of the source face
 * @param given the matrix of `readEmap` for `emap`, the converter's output for `raw` for converted ones
 */
export function sourceVector(
  raw: Float32Array,
  { embedding }: EmbeddingSource,
  given: { emap: Float32Array | null; converted: Float32Array | null },
): Float32Array {
  switch (embedding) {
    case 'emap':
      return scaled(product(raw, given.emap ?? new Float32Array()), 1 / normOf(raw))
    case 'normalised':
      return scaled(raw, 1 / normOf(raw))
    case 'converted':
      return given.converted ?? raw
    case 'converted-normalised': {
      const converted = given.converted ?? raw
      return scaled(converted, 1 / normOf(converted))
    }
  }
}

function product(row: Float32Array, matrix: Float32Array): Float32Array {
  const sums = new Float64Array(row.length)
  for (let line = 0; line < row.length; line += 1) {
    const factor = row[line] ?? 0
    for (let column = 0; column < row.length; column += 1)
      sums[column] = (sums[column] ?? 0) + factor * (matrix[line * row.length + column] ?? 0)
  }
  return Float32Array.from(sums)
}

/**
 * Mixes in the face in the video: less than nothing of it makes the swap stronger.
 * @param target the recogniser's raw embedding of the face in the video
 * @param strength 0…1
 */
export function withStrength(
  source: Float32Array,
  target: Float32Array,
  strength: number,
  { strength: way }: EmbeddingSource,
): Float32Array {
  const part = share.weak + (share.strong - share.weak) * strength
  const own = way === 'normalised' ? scaled(target, 1 / normOf(target)) : target
  return source.map((value, at) => value * (1 - part) + (own[at] ?? 0) * part)
}
