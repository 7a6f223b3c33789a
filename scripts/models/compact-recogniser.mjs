/**
 * @file Makes `sface_int8.onnx` from OpenCV's `sface.onnx`: a quarter of its size, by storing large weights in 8 bits with
 * a scale for each output channel. The runtime turns them into 32-bit floats when it loads the model, so a run takes as
 * long as before.
 *
 *     node scripts/models/compact-recogniser.mjs FROM TO
 *
 * Fields of the protobuf: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { bytes, initializer, join, node } from '../../test/fixtures/onnx.ts'

const modelGraph = 7
const graph = { node: 1, initializer: 5, input: 11 }
const tensor = { dims: 1, type: 2, floats: 4, name: 8, raw: 9 }
const valueName = 1
const float32 = 1
/** Smaller tensors, such as depthwise weights, stay as they are: they take little space, and cost the most accuracy. */
const minValues = 10_000

const [from, to] = process.argv.slice(2)
if (!from || !to) throw new Error('compact-recogniser FROM TO')

/** @typedef {{ field: number, value: number, content: Uint8Array, whole: Uint8Array }} Field */

/** @param {Uint8Array} message @returns {Generator<Field, void>} varints and length-delimited fields */
function* fieldsOf(message) {
  let at = 0
  const varint = () => {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = message[at] ?? 0
      at += 1
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  while (at < message.length) {
    const start = at
    const tag = varint()
    if (tag % 8 !== 0 && tag % 8 !== 2) throw new Error(`wire type ${tag % 8} is not expected here`)
    const value = varint()
    const content = message.subarray(at, tag % 8 === 2 ? at + value : at)
    at += content.length
    yield { field: Math.floor(tag / 8), value, content, whole: message.subarray(start, at) }
  }
}

/** @param {Uint8Array} message @param {number} wanted */
function nameOf(message, wanted) {
  for (const { field, content } of fieldsOf(message)) if (field === wanted) return new TextDecoder().decode(content)
  return ''
}

/** @param {Uint8Array} message a TensorProto */
function readTensor(message) {
  const dims = []
  let isFloat = false
  let data = new Uint8Array()
  for (const { field, value, content } of fieldsOf(message)) {
    if (field === tensor.dims) dims.push(value)
    else if (field === tensor.type) isFloat = value === float32
    else if (field === tensor.floats || field === tensor.raw) data = Uint8Array.from(content)
  }
  const count = dims.reduce((product, length) => product * length, 1)
  if (isFloat && data.length !== count * 4) throw new Error('a tensor of another form is not expected here')
  return { dims, isFloat, values: isFloat ? new Float32Array(data.buffer) : new Float32Array() }
}

/** @param {string} name @param {ReturnType<typeof readTensor>} tensor whose first dimension is the output channel */
function quantise(name, { dims, values }) {
  const [channels = 1, ...others] = dims
  const each = values.length / channels
  const scales = new Float32Array(channels)
  const data = new Int8Array(values.length)
  for (let channel = 0; channel < channels; channel += 1) {
    const weights = values.subarray(channel * each, (channel + 1) * each)
    const scale = Math.fround(weights.reduce((max, weight) => Math.max(max, Math.abs(weight)), 0) / 127) || 1
    scales[channel] = scale
    for (const [at, weight] of weights.entries()) data[channel * each + at] = Math.round(weight / scale)
  }
  const [stored, factor, cast] = [`${name}_int8`, `${name}_scale`, `${name}_float`]
  return {
    tensors: [
      initializer({ name: stored, dims, data, type: 'int8' }),
      initializer({ name: factor, dims: [channels, ...others.map(() => 1)], data: scales }),
    ],
    // The runtime folds these at load. It doesn't fold DequantizeLinear, which would run for each face.
    nodes: [
      node({ op: 'Cast', inputs: [stored], outputs: [cast], ints: { to: float32 } }),
      node({ op: 'Mul', inputs: [cast, factor], outputs: [name] }),
    ],
  }
}

/** @param {Uint8Array} message a GraphProto */
function compact(message) {
  const fields = [...fieldsOf(message)]
  const weights = new Set(
    fields.filter(({ field }) => field === graph.initializer).map(({ content }) => nameOf(content, tensor.name)),
  )
  const nodes = []
  const rest = []
  for (const { field, content, whole } of fields) {
    // A weight that is an input as well could be replaced by the caller, so the runtime would fold nothing.
    if (field === graph.input && weights.has(nameOf(content, valueName))) continue
    const read = field === graph.initializer ? readTensor(content) : null
    if (!read?.isFloat || read.values.length < minValues) {
      rest.push(whole)
      continue
    }
    const made = quantise(nameOf(content, tensor.name), read)
    rest.push(...made.tensors.map((each) => bytes(graph.initializer, each)))
    nodes.push(...made.nodes.map((each) => bytes(graph.node, each)))
  }
  return join(...nodes, ...rest)
}

const parts = [...fieldsOf(readFileSync(from))].map(({ field, content, whole }) =>
  field === modelGraph ? bytes(modelGraph, compact(content)) : whole,
)
writeFileSync(to, join(...parts))
