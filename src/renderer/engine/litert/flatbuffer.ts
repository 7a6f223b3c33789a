/**
 * @file Reads just enough of the FlatBuffers format to find a TFLite model's tensor shapes.
 * Offsets: https://flatbuffers.dev/internals/ ; fields: tensorflow/lite/schema/schema.fbs
 * (Model.subgraphs = 2, SubGraph.tensors = 0, Tensor.shape = 0, Tensor.shape_signature = 7).
 */

/** Position of a table's field; 0 if the table lacks it. */
function field(view: DataView, table: number, index: number): number {
  const vtable = table - view.getInt32(table, true)
  const slot = 4 + 2 * index
  if (slot >= view.getUint16(vtable, true)) return 0
  const offset = view.getUint16(vtable + slot, true)
  return offset === 0 ? 0 : table + offset
}

const follow = (view: DataView, at: number): number => at + view.getUint32(at, true)

/** Positions of a vector's 4-byte elements; empty for an absent field. */
function elements(view: DataView, at: number): number[] {
  if (at === 0) return []
  const vector = follow(view, at)
  return Array.from({ length: view.getUint32(vector, true) }, (_, index) => vector + 4 + 4 * index)
}

/**
 * Sets every dynamic dimension (−1) of a TFLite model to 1, in place, because LiteRT compiles only static shapes.
 * @returns number of dimensions changed
 * @throws RangeError if the bytes are not a FlatBuffer
 */
export function closeBatch(model: Uint8Array): number {
  const view = new DataView(model.buffer, model.byteOffset, model.byteLength)
  let closed = 0
  for (const subgraph of elements(view, field(view, view.getUint32(0, true), 2))) {
    for (const tensor of elements(view, field(view, follow(view, subgraph), 0))) {
      const table = follow(view, tensor)
      for (const shape of [field(view, table, 0), field(view, table, 7)]) {
        for (const dimension of elements(view, shape)) {
          if (view.getInt32(dimension, true) >= 0) continue
          view.setInt32(dimension, 1, true)
          closed += 1
        }
      }
    }
  }
  return closed
}
