/**
 * @file Reads an ONNX file's inputs, outputs and initializers, before any runtime sees the file. Its weights are
 * skipped. Field numbers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */
import { open, type FileHandle } from 'node:fs/promises'
import { ProtobufFile, unreadable, varint, type Field } from '@shared/engine/protobuf.ts'
import { MienError } from '@shared/errors.ts'
import { fileType, headBytes } from '@shared/files/file-type.ts'
import { fileFailure, onFile } from '../../machine/disk/disk-errors.ts'

/** Protobuf can't be longer than 2 GiB, so an ONNX file with more weights keeps them in other files. */
const maxFileBytes = 2 ** 31 - 1
/** Opsets that ONNX Runtime 1.30 supports. It guarantees nothing for older ones. */
const opsets = { min: 7, max: 26 }
const maxDims = 8
/** Also of inputs and of outputs. */
const maxInitializers = 20_000

/** TensorProto.DataType; `other` is any type that no supported model uses. */
export type OnnxType = 'float32' | 'float16' | 'other'

export interface OnnxValue {
  name: string
  type: OnnxType
  /** Null: a dynamic dimension. */
  dims: (number | null)[]
}

export interface OnnxInitializer {
  name: string
  type: OnnxType
  dims: number[]
  /** Length of its numbers; 0 if they aren't in one piece. */
  dataBytes: number
}

export interface OnnxGraph {
  /** Without the inputs that have an initializer. */
  inputs: OnnxValue[]
  outputs: OnnxValue[]
  /** inswapper's emap. */
  lastInitializer: OnnxInitializer | null
}

const typeOf = (dataType: number): OnnxType => (dataType === 1 ? 'float32' : dataType === 10 ? 'float16' : 'other')

/**
 * Reads a few kilobytes for each tensor, however large the file is.
 * @throws MienError `model-unreadable` (reason), `file-missing`, `file-unreadable`, `file-unreachable`
 */
export async function readOnnxGraph(path: string): Promise<OnnxGraph> {
  const handle = await onFile(open(path, 'r'))
  try {
    const { size } = await handle.stat()
    if (size > maxFileBytes) throw unreadable('too-large')
    const file = new ProtobufFile({ size, read: (start, end) => readPiece(handle, start, end) })
    return await readModel(file).catch(async (error: unknown) => {
      // Only now, because a model may begin like a file of another type.
      const type = fileType(await file.read(0, Math.min(size, headBytes)))
      throw type ? new MienError('model-unreadable', { reason: 'kind', kind: type.name }) : error
    })
  } catch (error) {
    throw error instanceof MienError ? error : fileFailure(error)
  } finally {
    await handle.close()
  }
}

async function readPiece(handle: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start)
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done)
    // The file became shorter.
    if (bytesRead === 0) throw unreadable('cut-off')
    done += bytesRead
  }
  return bytes
}

async function readModel(file: ProtobufFile): Promise<OnnxGraph> {
  let graph: OnnxGraph | null = null
  let opset = 0
  let hasVersion = false
  try {
    for await (const field of file.fields(0, file.size)) {
      if (is(field, 1, 0)) hasVersion = true
      else if (is(field, 8, 2)) opset = (await readOpset(file, field)) ?? opset
      else if (is(field, 7, 2)) {
        // A runtime would merge them.
        if (graph !== null) throw unreadable('damaged')
        graph = await readGraph(file, field)
      }
    }
  } catch (error) {
    throw hasVersion ? error : unreadable('not-onnx')
  }
  if (graph === null || !hasVersion) throw unreadable('not-onnx')
  if (opset < opsets.min || opset > opsets.max) throw unreadable('opset')
  return graph
}

const is = (field: Field, number: number, wire: Field['wire']): boolean =>
  field.number === number && field.wire === wire

/** The version of the standard operators; null for another domain. */
async function readOpset(file: ProtobufFile, { start, end }: Field): Promise<number | null> {
  let domain = ''
  let version = 0
  for await (const field of file.fields(start, end)) {
    if (is(field, 1, 2)) domain = await file.text(field)
    else if (is(field, 2, 0)) version = field.value
  }
  return domain === '' || domain === 'ai.onnx' ? version : null
}

async function readGraph(file: ProtobufFile, { start, end }: Field): Promise<OnnxGraph> {
  const inputs: OnnxValue[] = []
  const outputs: OnnxValue[] = []
  const names = new Set<string>()
  let lastInitializer: OnnxInitializer | null = null
  for await (const field of file.fields(start, end)) {
    if (is(field, 11, 2)) inputs.push(await readValue(file, field))
    else if (is(field, 12, 2)) outputs.push(await readValue(file, field))
    else if (is(field, 5, 2)) {
      lastInitializer = await readInitializer(file, field)
      names.add(lastInitializer.name)
    }
    if (Math.max(inputs.length, outputs.length, names.size) > maxInitializers) throw unreadable('too-complex')
  }
  // Old exports list the initializers as inputs too.
  const fed = inputs.filter(({ name }) => !names.has(name))
  return { inputs: fed, outputs, lastInitializer }
}

/** ValueInfoProto: name = 1, type = 2; TypeProto: tensor_type = 1; Tensor: elem_type = 1, shape = 2; shape: dim = 1. */
async function readValue(file: ProtobufFile, { start, end }: Field): Promise<OnnxValue> {
  const value: OnnxValue = { name: '', type: 'other', dims: [] }
  for await (const field of file.fields(start, end)) {
    if (is(field, 1, 2)) value.name = await file.text(field)
    else if (is(field, 2, 2))
      for await (const tensor of within(file, field, 1)) {
        if (is(tensor, 1, 0)) value.type = typeOf(tensor.value)
        else if (is(tensor, 2, 2))
          for await (const dim of file.fields(tensor.start, tensor.end))
            if (is(dim, 1, 2)) add(value.dims, await readDim(file, dim))
      }
  }
  return value
}

/** The fields of all messages with a number in a message. */
async function* within(file: ProtobufFile, { start, end }: Field, number: number): AsyncGenerator<Field> {
  for await (const field of file.fields(start, end))
    if (is(field, number, 2)) yield* file.fields(field.start, field.end)
}

/** Dimension: dim_value = 1. Null: it has a name instead, is −1 or isn't given. */
async function readDim(file: ProtobufFile, { start, end }: Field): Promise<number | null> {
  for await (const field of file.fields(start, end)) if (is(field, 1, 0)) return size(field.value)
  return null
}

const size = (value: number): number | null => (value > 0 && value < 2 ** 31 ? value : null)

function add<T>(dims: T[], dim: T): void {
  if (dims.length >= maxDims) throw unreadable('too-complex')
  dims.push(dim)
}

/**
 * TensorProto: dims = 1, data_type = 2, float_data = 4, name = 8, raw_data = 9, external_data = 13, data_location = 14.
 * @throws MienError `model-unreadable` (`external`), because another file would not be checked, copied and removed with
 * this one
 */
async function readInitializer(file: ProtobufFile, { start, end }: Field): Promise<OnnxInitializer> {
  const tensor: OnnxInitializer = { name: '', type: 'other', dims: [], dataBytes: 0 }
  for await (const field of file.fields(start, end)) {
    const { number, wire, value } = field
    if (number === 1 && wire === 0) add(tensor.dims, value)
    else if (number === 1 && wire === 2) {
      const packed = await file.bytes(field.start, field.end)
      for (let at = 0; at < packed.length;) {
        const dim = varint(packed, at)
        add(tensor.dims, dim.value)
        at = dim.next
      }
    } else if (number === 2 && wire === 0) tensor.type = typeOf(value)
    else if (number === 8 && wire === 2) tensor.name = await file.text(field)
    else if ((number === 9 || number === 4) && wire === 2) tensor.dataBytes = field.end - field.start
    else if ((number === 14 && value === 1) || number === 13) throw unreadable('external')
  }
  return tensor
}
