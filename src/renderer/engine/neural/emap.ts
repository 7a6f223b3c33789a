/** @file Reads inswapper's `emap`, the last initializer of its graph, which ONNX Runtime doesn't give out. */
import { ProtobufFile, type Source } from '@shared/engine/protobuf.ts'
import { load, readModel, valuesOf } from '../webnn/onnx.ts'

const side = 512

/**
 * The matrix of 512 × 512 values by which an embedding is multiplied, row by row.
 * @throws RangeError if the last initializer is not such a matrix; as `readModel`
 */
export async function readEmap(source: Source): Promise<Float32Array> {
  const file = new ProtobufFile(source)
  const tensor = (await readModel(file)).initializers.at(-1)
  if (tensor?.dims.join() !== `${side},${side}`)
    throw new RangeError('the last initializer is not a matrix of 512 × 512')
  await load(file, tensor)
  return valuesOf(tensor)
}
