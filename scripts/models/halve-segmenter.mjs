/**
 * @file Makes `selfie_multiclass_128x128.f16` from MediaPipe's `selfie_multiclass_256x256.tflite`: the same model for a
 * picture of half the size, at a fifth of the cost, with its weights rounded to 16-bit floats. For a face that fills the
 * picture, the model works just as well at that size. The layout is described in
 * `src/renderer/engine/litert/half-floats.ts`.
 *
 *     node scripts/models/halve-segmenter.mjs FROM TO
 *
 * Operators, fields and their order: tensorflow/lite/schema/schema.fbs.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const ops = { add: 0, conv: 3, depthwise: 4, mul: 18, reshape: 22, bilinear: 23, softmax: 25 }
const more = { transpose: 39, transposeConv: 67, sum: 74, nearest: 97 }
/** Smaller tensors stay as they are. */
const minFloats = 256
/** Side length in pixels of the model's attention patches. */
const patch = 4

const [from, to] = process.argv.slice(2)
if (!from || !to) throw new Error('halve-segmenter FROM TO')
const bytes = readFileSync(from)
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const u32 = (/** @type {number} */ at) => view.getUint32(at, true)
const i32 = (/** @type {number} */ at) => view.getInt32(at, true)
const follow = (/** @type {number} */ at) => at + u32(at)
/** @param {number} table @param {number} index @returns {number} offset of the field, 0 if missing */
function field(table, index) {
  const vtable = table - i32(table)
  const slot = 4 + 2 * index
  const offset = slot < view.getUint16(vtable, true) ? view.getUint16(vtable + slot, true) : 0
  return offset === 0 ? 0 : table + offset
}
/** @param {number} at @returns {number[]} offsets of a vector's four-byte elements */
function elements(at) {
  if (at === 0) return []
  const vector = follow(at)
  return Array.from({ length: u32(vector) }, (_, index) => vector + 4 + 4 * index)
}
const numberAt = (/** @type {number} */ at) => (at === 0 ? 0 : u32(at))

const model = u32(0)
const codes = elements(field(model, 1)).map((at) => {
  const code = follow(at)
  const short = field(code, 0)
  return Math.max(short === 0 ? 0 : view.getInt8(short), numberAt(field(code, 3)))
})
const data = elements(field(model, 4)).map((at) => elements(field(follow(at), 0)))
const graph = follow(elements(field(model, 2))[0] ?? 0)
const tensors = elements(field(graph, 0)).map((at) => {
  const tensor = follow(at)
  const shapeAt = elements(field(tensor, 0))
  const shape = shapeAt.map(i32)
  // The length of `data` is in bytes, but its elements are read as 32-bit integers.
  const values = data[numberAt(field(tensor, 2))] ?? []
  const integers = values.slice(0, values.length / 4)
  return { shapeAt: [shapeAt, elements(field(tensor, 7))], shape, was: shape, integers, held: integers.map(i32) }
})
const operators = elements(field(graph, 3)).map((at) => {
  const operator = follow(at)
  const inputs = elements(field(operator, 1))
  return { code: codes[numberAt(field(operator, 0))], inputs, outputs: elements(field(operator, 2)) }
})

/** @param {number | undefined} at offset of a tensor's index */
function tensorAt(at) {
  const tensor = tensors[at === undefined ? -1 : i32(at)]
  if (!tensor) throw new Error('an operator without its tensor')
  return tensor
}
const set = (/** @type {number[]} */ places, /** @type {number[]} */ values) => {
  for (const [index, at] of places.entries()) view.setInt32(at, values[index] ?? 0, true)
}

/** Target shapes of the reshapes, in order. Their constants are reassigned below: shared ones may now differ. */
const reshapes = /** @type {{ at: number, shape: number[] }[]} */ ([])
/** Shape of the map at the start of attention. */
let whole = [0, 0, 0, 0]
/** Attention folds a map into patches and unfolds it again, each in two steps. */
let step = 0

/** @param {number[]} x new input shape @param {number[]} out output shape in the original model */
function reshaped(x, out) {
  if (out[2] === 1) return [1, x[1] ?? 0, 1, x[2] ?? 0]
  if (out[3] === 1) return [1, x[1] ?? 0, x[3] ?? 0, 1]
  if (step === 0) whole = x
  const [, height = 0, width = 0, depth = 0] = whole
  const [rows, columns] = [height / patch, width / patch]
  const steps = [
    [rows, patch, columns, depth * patch],
    [1, rows * columns, patch ** 2, depth],
    [rows, columns, patch, depth * patch],
    whole,
  ]
  const shape = steps[step] ?? []
  step = (step + 1) % steps.length
  return shape
}

for (const at of elements(field(graph, 1))) tensorAt(at).shape = [1, 128, 128, 3]
for (const { code, inputs, outputs } of operators) {
  const first = tensorAt(inputs[0])
  const second = inputs[1] === undefined ? first : tensorAt(inputs[1])
  const out = tensorAt(outputs[0])
  const [x, was] = [first.shape, first.was]
  if (code === ops.add || code === ops.mul) {
    const y = second.shape
    out.shape = out.was.map((_, axis) => {
      const end = axis - out.was.length
      return Math.max(x.at(end) ?? 1, y.at(end) ?? 1)
    })
  } else if (code === ops.conv || code === ops.depthwise) {
    const scale = (/** @type {number} */ axis) => Math.ceil(((x[axis] ?? 0) * (out.was[axis] ?? 0)) / (was[axis] || 1))
    out.shape = [1, scale(1), scale(2), out.was[3] ?? 0]
  } else if (code === ops.softmax) {
    out.shape = x
  } else if (code === more.transpose) {
    out.shape = second.held.map((axis) => x[axis] ?? 0)
  } else if (code === more.sum) {
    out.shape = x.map((length, axis) => (second.held.includes(axis) ? 1 : length))
  } else if (code === ops.bilinear || code === more.nearest) {
    const size = second.held.map((length) => length / 2)
    set(second.integers, size)
    out.shape = [1, ...size, x[3] ?? 0]
  } else if (code === more.transposeConv) {
    out.shape = [1, ...first.held.slice(1, 3).map((length) => length / 2), first.held[3] ?? 0]
    set(first.integers, out.shape)
  } else if (code === ops.reshape) {
    const shape = reshaped(x, out.was)
    if (shape.reduce((a, b) => a * b) !== x.reduce((a, b) => a * b)) throw new Error(`${x} does not go into ${shape}`)
    out.shape = shape
    reshapes.push({ at: inputs[1] ?? 0, shape })
  } else {
    throw new Error(`operator ${code} is not known here`)
  }
}

const pool = [...new Set(reshapes.map(({ at }) => i32(at)))]
const dealt = /** @type {Map<string, number>} */ (new Map())
for (const { at, shape } of reshapes) {
  const name = shape.join()
  const tensor = dealt.get(name) ?? pool.shift()
  if (tensor === undefined) throw new Error('too few constants')
  if (!dealt.has(name)) set(tensors[tensor]?.integers ?? [], shape)
  dealt.set(name, tensor)
  view.setInt32(at, tensor, true)
}
for (const { shapeAt, shape, was } of tensors) {
  if (shape !== was) for (const places of shapeAt) set(places, shape)
}

/** Weights, in the order of the file: where they start, and how many there are. */
const ranges = elements(field(graph, 0))
  .map(follow)
  // FLOAT32 is 0, the default.
  .filter((tensor) => field(tensor, 1) === 0 || view.getInt8(field(tensor, 1)) === 0)
  .map((tensor) => data[numberAt(field(tensor, 2))] ?? [])
  .map((values) => ({ start: values[0] ?? 0, count: values.length / 4 }))
  .filter(({ count }) => count >= minFloats)
  .sort((a, b) => a.start - b.start)
const head = Uint32Array.from([ranges.length, ...ranges.flatMap(({ start, count }) => [start, count])])
const halves = ranges.map(
  ({ start, count }) =>
    new Float16Array(Float32Array.from({ length: count }, (_, at) => view.getFloat32(start + 4 * at, true))),
)
const ends = [0, ...ranges.map(({ start, count }) => start + 4 * count)]
const rest = ends.map((end, at) => bytes.subarray(end, ranges[at]?.start ?? bytes.length))
writeFileSync(
  to,
  Buffer.concat([new Uint8Array(head.buffer), ...halves.map(({ buffer }) => new Uint8Array(buffer)), ...rest]),
)
