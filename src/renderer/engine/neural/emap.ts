/** @file Reads inswapper's `emap`, the last initializer of its graph, which ONNX Runtime doesn't give out. */
import { readModel, valuesOf } from './onnx.ts'

const side = 512

/**
 * The matrix of 512 × 512 values by which an embedding is multiplied, row by row.
 * @throws RangeError if the last initializer is not such a matrix
 */
export function readEmap(model: Uint8Array): Float32Array {
  const tensor = readModel(model).initializers.at(-1)
  if (tensor?.dims.join() !== `${side},${side}`)
    throw new RangeError('the last initializer is not a matrix of 512 × 512')
  return valuesOf(tensor)
}
