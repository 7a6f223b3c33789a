/**
 * @file Reads inswapper's `emap`, the last initializer of its graph, which ONNX Runtime doesn't give out. Fields of the
 * protobuf: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (ModelProto.graph = 7, GraphProto.initializer = 5,
 * TensorProto.dims = 1, data_type = 2, float_data = 4, raw_data = 9).
 */
const side = 512

interface Field {
  number: number
  /** Of a field without a length, its value. */
  value: number
  /** Of a field with a length, its bytes. */
  bytes: Uint8Array
}

/** The fields of a message. @throws RangeError if it is cut off or not a protobuf */
function* fieldsOf(message: Uint8Array): Generator<Field, void> {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength)
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = view.getUint8(at)
      at += 1
      value += (byte & 127) * shift
      if (byte < 128) return value
      if (shift > 2 ** 63) throw new RangeError('not a protobuf')
    }
  }
  while (at < message.length) {
    const tag = varint()
    const [number, wire] = [Math.floor(tag / 8), tag % 8]
    const value = wire === 0 || wire === 2 ? varint() : 0
    const length = wire === 2 ? value : wire === 1 ? 8 : wire === 5 ? 4 : 0
    if (at + length > message.length || wire === 3 || wire === 4 || wire > 5) throw new RangeError('not a protobuf')
    yield { number, value, bytes: message.subarray(at, at + length) }
    at += length
  }
}

function last(message: Uint8Array, number: number): Uint8Array | null {
  let found: Uint8Array | null = null
  for (const field of fieldsOf(message)) if (field.number === number) found = field.bytes
  return found
}

/**
 * The matrix of 512 × 512 values by which an embedding is multiplied, row by row.
 * @throws RangeError if the last initializer is not such a matrix
 */
export function readEmap(model: Uint8Array): Float32Array {
  const graph = last(model, 7)
  const tensor = graph && last(graph, 5)
  const dims: number[] = []
  let type = 0
  let data: Uint8Array = new Uint8Array()
  for (const { number, value, bytes } of tensor ? fieldsOf(tensor) : []) {
    if (number === 1) dims.push(...(bytes.length > 0 ? packed(bytes) : [value]))
    else if (number === 2) type = value
    else if (number === 4 || number === 9) data = bytes
  }
  const count = side * side
  const own = data.slice().buffer
  if (dims.join() === `${side},${side}`) {
    if (type === 1 && own.byteLength === count * 4) return new Float32Array(own)
    if (type === 10 && own.byteLength === count * 2) return Float32Array.from(new Float16Array(own))
  }
  throw new RangeError('the last initializer is not a matrix of 512 × 512')
}

/** Dimensions below 2¹⁴, as packed varints. */
function packed(bytes: Uint8Array): number[] {
  const values: number[] = []
  let value = 0
  let shift = 1
  for (const byte of bytes) {
    value += (byte & 127) * shift
    shift *= 128
    if (byte >= 128) continue
    values.push(value)
    value = 0
    shift = 1
  }
  return values
}
