/**
 * @file Reads an ONNX model's graph. Its large tensors are read when they are needed, so that a model of half a gigabyte
 * isn't in memory as a whole.
 * Fields: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, encoding: https://protobuf.dev/programming-guides/encoding/
 */
import { unreadable, varint, type Field, type ProtobufFile } from '@shared/engine/protobuf.ts'

/** `TensorProto.DataType` of the types that are read. */
const types = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, bool: 9, float16: 10, float64: 11 } as const

/** A tensor whose values are in the file. */
export interface OnnxTensor {
  name: string
  dims: number[]
  /** `TensorProto.DataType` */
  type: number
  /** Little-endian, if the values are stored in one piece. */
  raw: Uint8Array | null
  /** Otherwise, one by one. */
  values: number[]
  /** Where `raw` is in the file, if it isn't read yet. */
  stored: Field | null
}

export interface OnnxAttribute {
  float: number
  int: number
  text: string
  floats: number[]
  ints: number[]
  tensor: OnnxTensor | null
}

export interface OnnxNode {
  op: string
  /** '' is an optional input that is left out. */
  inputs: string[]
  outputs: string[]
  attributes: Map<string, OnnxAttribute>
}

export interface OnnxModel {
  /** Version of the standard operators. */
  opset: number
  /** Each after those whose outputs it needs. */
  nodes: OnnxNode[]
  initializers: OnnxTensor[]
  /** Names and sizes, null for a dynamic one, of the inputs that have no initializer. */
  inputs: { name: string; dims: (number | null)[] }[]
  outputs: string[]
}

interface Part {
  number: number
  wire: number
  /** Of a varint. */
  value: number
  /** Of any other field. */
  bytes: Uint8Array
}

/** @throws MienError `model-unreadable` if the message is cut off or not a protobuf */
function* fieldsOf(message: Uint8Array): Generator<Part, void> {
  for (let at = 0; at < message.length;) {
    const tag = varint(message, at)
    const [number, wire] = [Math.floor(tag.value / 8), tag.value & 7]
    const first = wire === 0 || wire === 2 ? varint(message, tag.next) : { value: 0, next: tag.next }
    const length = wire === 2 ? first.value : wire === 1 ? 8 : wire === 5 ? 4 : 0
    at = first.next + length
    if (length < 0 || at > message.length || ![0, 1, 2, 5].includes(wire)) throw unreadable('damaged')
    yield { number, wire, value: first.value, bytes: message.subarray(first.next, at) }
  }
}

const decoder = new TextDecoder()
const textOf = ({ bytes }: Part): string => decoder.decode(bytes)

/** The numbers of a repeated field, packed or one of them. */
function* intsOf({ wire, value, bytes }: Part): Generator<number, void> {
  if (wire === 0) yield value
  else
    for (let at = 0; at < bytes.length;) {
      const { value: each, next } = varint(bytes, at)
      at = next
      yield each
    }
}

/** A copy, which begins where its numbers may begin. */
function copyOf(bytes: Uint8Array): ArrayBuffer {
  const copy = new Uint8Array(bytes.length)
  copy.set(bytes)
  return copy.buffer
}

const floatsOf = ({ bytes }: Part): Float32Array => new Float32Array(copyOf(bytes))

const emptyTensor = (): OnnxTensor => ({ name: '', dims: [], type: 0, raw: null, values: [], stored: null })

function tensorOf(message: Uint8Array): OnnxTensor {
  const tensor = emptyTensor()
  for (const part of fieldsOf(message)) addTo(tensor, part)
  return tensor
}

function addTo(tensor: OnnxTensor, part: Part): void {
  if (part.number === 1) tensor.dims.push(...intsOf(part))
  else if (part.number === 2) tensor.type = part.value
  else if (part.number === 4) for (const value of floatsOf(part)) tensor.values.push(value)
  else if (part.number === 5 || part.number === 7) for (const value of intsOf(part)) tensor.values.push(value)
  else if (part.number === 8) tensor.name = textOf(part)
  else if (part.number === 9) tensor.raw = part.bytes
}

export const areIntegers = ({ type }: OnnxTensor): boolean => type === types.int64 || type === types.int32

/**
 * The values of a tensor, in a copy of their own.
 * @throws RangeError if they are of another type, in another file, or not as many as its sizes say
 */
export function valuesOf({ dims, type, raw, values }: OnnxTensor): Float32Array {
  const count = dims.reduce((product, length) => product * length, 1)
  const own = raw && copyOf(raw)
  const read = ((): Float32Array => {
    switch (type) {
      case types.float32:
        return own ? new Float32Array(own) : Float32Array.from(values)
      case types.float16:
        return Float32Array.from(own ? new Float16Array(own) : new Float16Array(Uint16Array.from(values).buffer))
      case types.float64:
        return Float32Array.from(own ? new Float64Array(own) : values)
      case types.int64:
        return own ? Float32Array.from(new BigInt64Array(own), Number) : Float32Array.from(values)
      case types.int32:
        return Float32Array.from(own ? new Int32Array(own) : values)
      case types.int8:
        return Float32Array.from(own ? new Int8Array(own) : values)
      case types.uint8:
      case types.bool:
        return Float32Array.from(own ? new Uint8Array(own) : values)
      default:
        throw new RangeError(`a tensor of the type ${String(type)}`)
    }
  })()
  if (read.length !== count) throw new RangeError('a tensor without its values')
  return read
}

function attributeOf(message: Uint8Array): [name: string, OnnxAttribute] {
  const attribute: OnnxAttribute = { float: 0, int: 0, text: '', floats: [], ints: [], tensor: null }
  let name = ''
  for (const field of fieldsOf(message)) {
    if (field.number === 1) name = textOf(field)
    else if (field.number === 2) attribute.float = floatsOf(field)[0] ?? 0
    else if (field.number === 3) attribute.int = field.value
    else if (field.number === 4) attribute.text = textOf(field)
    else if (field.number === 5) attribute.tensor = tensorOf(field.bytes)
    else if (field.number === 7) attribute.floats.push(...floatsOf(field))
    else if (field.number === 8) attribute.ints.push(...intsOf(field))
  }
  return [name, attribute]
}

/** @throws RangeError if the operator isn't one of the standard's */
function nodeOf(message: Uint8Array): OnnxNode {
  const node: OnnxNode = { op: '', inputs: [], outputs: [], attributes: new Map() }
  for (const field of fieldsOf(message)) {
    if (field.number === 1) node.inputs.push(textOf(field))
    else if (field.number === 2) node.outputs.push(textOf(field))
    else if (field.number === 4) node.op = textOf(field)
    else if (field.number === 5) node.attributes.set(...attributeOf(field.bytes))
    else if (field.number === 7 && !['', 'ai.onnx'].includes(textOf(field))) node.op = `${textOf(field)}.${node.op}`
  }
  return node
}

/** ValueInfoProto: name = 1, type = 2; TypeProto: tensor_type = 1; Tensor: shape = 2; shape: dim = 1; dim: dim_value = 1. */
function inputOf(message: Uint8Array): OnnxModel['inputs'][number] {
  const input: OnnxModel['inputs'][number] = { name: '', dims: [] }
  for (const field of fieldsOf(message)) {
    if (field.number === 1) input.name = textOf(field)
    else if (field.number === 2)
      for (const dim of within(field.bytes, [1, 2, 1]))
        input.dims.push([...fieldsOf(dim)].find(({ number }) => number === 1)?.value ?? null)
  }
  return input
}

/** The fields at a path of field numbers. */
function within(message: Uint8Array, path: readonly number[]): Uint8Array[] {
  const [first, ...rest] = path
  const found = [...fieldsOf(message)].filter(({ number }) => number === first).map(({ bytes }) => bytes)
  return rest.length === 0 ? found : found.flatMap((each) => within(each, rest))
}

/** Reads the values of a tensor. @throws the errors of reading */
export async function load(file: ProtobufFile, tensor: OnnxTensor): Promise<void> {
  if (tensor.stored) tensor.raw = await file.read(tensor.stored.start, tensor.stored.end)
}

/** Nodes whose tensors are read in advance. */
const readAhead = 6

/** The nodes of a model, one by one, each with the values of its tensors, which are forgotten afterwards. */
export async function* withValues(
  file: ProtobufFile,
  { nodes, initializers }: OnnxModel,
): AsyncGenerator<OnnxNode, void> {
  const large = new Map(initializers.filter(({ stored }) => stored).map((tensor) => [tensor.name, tensor]))
  const reading = new Map<string, Promise<void>>()
  for (const [index, node] of nodes.entries()) {
    for (const name of nodes.slice(index, index + readAhead).flatMap(({ inputs }) => inputs)) {
      const tensor = large.get(name)
      if (!tensor || reading.has(name)) continue
      const read = load(file, tensor)
      // Awaited when its node is next.
      read.catch(() => undefined)
      reading.set(name, read)
    }
    for (const name of node.inputs) await reading.get(name)
    yield node
    for (const name of node.inputs) {
      const tensor = large.get(name)
      if (tensor) tensor.raw = null
      reading.delete(name)
    }
  }
}

/** Bytes of a tensor that is read with the graph. */
const keptBytes = 4096

/** @throws MienError `model-unreadable`, and the errors of reading */
export async function readModel(file: ProtobufFile): Promise<OnnxModel> {
  const model: OnnxModel = { opset: 0, nodes: [], initializers: [], inputs: [], outputs: [] }
  for await (const field of file.fields(0, file.size)) {
    if (field.number === 8) {
      const parts = [...fieldsOf(await file.content(field))]
      const domain = parts.find(({ number }) => number === 1)
      if (!domain || ['', 'ai.onnx'].includes(textOf(domain)))
        model.opset = parts.find(({ number }) => number === 2)?.value ?? 0
    } else if (field.number === 7)
      for await (const part of file.fields(field.start, field.end)) {
        if (part.number === 1) model.nodes.push(nodeOf((await file.content(part)).slice()))
        else if (part.number === 5) model.initializers.push(await initializerOf(file, part))
        else if (part.number === 11) model.inputs.push(inputOf(await file.content(part)))
        else if (part.number === 12) model.outputs.push(inputOf(await file.content(part)).name)
      }
  }
  const stored = new Set(model.initializers.map(({ name }) => name))
  model.inputs = model.inputs.filter(({ name }) => !stored.has(name))
  return model
}

async function initializerOf(file: ProtobufFile, field: Field): Promise<OnnxTensor> {
  if (field.end - field.start <= keptBytes) return tensorOf((await file.content(field)).slice())
  const tensor = emptyTensor()
  for await (const part of file.fields(field.start, field.end)) {
    if (part.number === 9) tensor.stored = part
    else addTo(tensor, { ...part, bytes: await file.content(part) })
  }
  return tensor
}
