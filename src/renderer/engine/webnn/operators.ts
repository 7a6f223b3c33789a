/**
 * @file ONNX's operators (https://onnx.ai/onnx/operators/) in those of WebNN. Tensors are float32; a model's float16 is
 * computed as float32, too. Pictures, which are all tensors of rank 4, have their channels last, as XNNPACK wants them,
 * not second as in ONNX. What isn't here, or not in this way, makes a model unsupported.
 */
import type { OnnxNode, OnnxTensor } from './onnx.ts'
import { areIntegers, valuesOf } from './onnx.ts'
import type { BinaryName, GraphBuilder, Operand, ReductionName, UnaryName } from './ml.ts'

/** An operator, or a way of using it, that isn't translated. */
export class Unsupported extends Error {}

/** Numbers that are known before the model runs: weights, sizes, axes. */
export interface Constant {
  dims: readonly number[]
  /** Whether they are integers, whose quotients are, too. */
  areIntegers: boolean
  values: () => Float32Array
}

export const constantOf = (tensor: OnnxTensor): Constant => ({
  dims: tensor.dims,
  areIntegers: areIntegers(tensor),
  values: () => valuesOf(tensor),
})

/** A node and its inputs. */
export class Node {
  /** @param constant what is known of a value, by its name; null: it has to be computed */
  constructor(
    private readonly node: OnnxNode,
    readonly opset: number,
    readonly constant: (name: string) => Constant | null,
  ) {}

  get op(): string {
    return this.node.op
  }

  get outputs(): readonly string[] {
    return this.node.outputs
  }

  has(index: number): boolean {
    return (this.node.inputs[index] ?? '') !== ''
  }

  name(index: number): string {
    return this.node.inputs[index] ?? ''
  }

  /** Names of all inputs that are there. */
  get names(): string[] {
    return this.node.inputs.filter((name) => name !== '')
  }

  /** An input that has to be known. */
  known(index: number): Constant {
    const constant = this.constant(this.name(index))
    if (!constant) throw new Unsupported(`${this.op} whose input ${String(index)} is computed`)
    return constant
  }

  numbers(index: number): number[] {
    return [...this.known(index).values()]
  }

  /** Integers of an input if it is there, else of an attribute; newer versions of operators turned one into the other. */
  list(index: number, name: string): number[] | null {
    return this.has(index) ? this.numbers(index) : this.ints(name)
  }

  ints(name: string): number[] | null {
    return this.node.attributes.get(name)?.ints ?? null
  }

  floats(name: string): number[] | null {
    return this.node.attributes.get(name)?.floats ?? null
  }

  int(name: string, otherwise: number): number {
    return this.node.attributes.get(name)?.int ?? otherwise
  }

  float(name: string, otherwise: number): number {
    return this.node.attributes.get(name)?.float ?? otherwise
  }

  text(name: string, otherwise: string): string {
    return this.node.attributes.get(name)?.text ?? otherwise
  }

  tensor(name: string): OnnxTensor | null {
    return this.node.attributes.get(name)?.tensor ?? null
  }
}

/** What turns a node into operands: the builder, and its inputs there. */
export interface Build {
  builder: GraphBuilder
  /** An input; channels last, if it is a picture. */
  input: (index: number) => Operand
  /** An input in ONNX's order. */
  plain: (index: number) => Operand
}

type Operator = (node: Node, build: Build) => Operand | Operand[]

/** Where a picture's axes are, and their order. */
const channelsLast = [0, 2, 3, 1]
const onnxOrder = [0, 3, 1, 2]
export const isPicture = ({ length }: readonly number[]): boolean => length === 4

/** The sizes of a picture in an operand's order, and in ONNX's. */
export const withChannelsLast = (shape: readonly number[]): number[] => channelsLast.map((axis) => shape[axis] ?? 1)
export const inOnnxOrder = (shape: readonly number[]): number[] => onnxOrder.map((axis) => shape[axis] ?? 1)

/** An axis of ONNX's, which counts from the end if it is negative, as one of an operand's. */
function axisOf(axis: number, { shape }: Operand): number {
  const positive = axis < 0 ? axis + shape.length : axis
  return isPicture(shape) ? (onnxOrder[positive] ?? positive) : positive
}

/** A number for each axis, in an operand's order. */
const byAxis = (list: readonly number[]): number[] =>
  isPicture(list) ? channelsLast.map((axis) => list[axis] ?? 0) : [...list]

const unary =
  (name: UnaryName): Operator =>
  (_, { builder, input }) =>
    builder[name](input(0))

/** Of any number of inputs. */
const binary =
  (name: BinaryName): Operator =>
  ({ names }, build) =>
    aligned(names.length, build).reduce((sum, each) => build.builder[name](sum, each))

/** Inputs of which those of a lower rank are repeated along a picture's channels, lines or columns. */
function aligned(count: number, { builder, input, plain }: Build): Operand[] {
  const all = Array.from({ length: count }, (_, index) => input(index))
  if (!all.some(({ shape }) => isPicture(shape))) return all
  return all.map((operand, index) => {
    const { length } = operand.shape
    if (length === 0 || length >= 4) return operand
    const filled = builder.reshape(plain(index), [...Array<number>(4 - length).fill(1), ...operand.shape])
    return builder.transpose(filled, { permutation: channelsLast })
  })
}

const same: Operator = (_, { input }) => input(0)

const reduction =
  (name: ReductionName): Operator =>
  (node, { builder, input }) => {
    const x = input(0)
    const axes = (node.list(1, 'axes') ?? x.shape.map((_, axis) => axis)).map((axis) => axisOf(axis, x))
    const keepDimensions = node.int('keepdims', 1) === 1
    if (!isPicture(x.shape) || keepDimensions) return builder[name](x, { axes, keepDimensions })
    const kept = toOnnxOrder(builder, builder[name](x, { axes, keepDimensions: true }))
    const sizes = kept.shape.filter((_, axis) => !axes.includes(axisOf(axis, x)))
    return builder.reshape(kept, sizes)
  }

/** WebNN's order of a picture's paddings. @param pads top, left, bottom, right */
const paddingOf = ([top = 0, left = 0, bottom = 0, right = 0]: readonly number[]): number[] => [
  top,
  bottom,
  left,
  right,
]

interface Window {
  strides: readonly number[]
  dilations: readonly number[]
  padding: readonly number[]
}

/** A convolution's or pooling's window. @throws Unsupported if it isn't one of pictures */
export function windowOf(node: Node, x: { shape: readonly number[] }, kernel: readonly number[]): Window {
  if (x.shape.length !== 4 || kernel.length !== 2) throw new Unsupported(`${node.op} of another rank`)
  const strides = node.ints('strides') ?? [1, 1]
  const dilations = node.ints('dilations') ?? [1, 1]
  const auto = node.text('auto_pad', 'NOTSET')
  if (auto === 'NOTSET') return { strides, dilations, padding: paddingOf(node.ints('pads') ?? []) }
  if (auto === 'VALID') return { strides, dilations, padding: [0, 0, 0, 0] }
  const padding = [0, 1].flatMap((axis) => {
    const [size, stride] = [x.shape[axis + 1] ?? 1, strides[axis] ?? 1]
    const reach = ((kernel[axis] ?? 1) - 1) * (dilations[axis] ?? 1) + 1
    const all = Math.max(0, (Math.ceil(size / stride) - 1) * stride + reach - size)
    const less = Math.floor(all / 2)
    return auto === 'SAME_UPPER' ? [less, all - less] : [all - less, less]
  })
  return { strides, dilations, padding }
}

const pooling =
  (name: 'averagePool2d' | 'maxPool2d'): Operator =>
  (node, { builder, input }) => {
    const x = input(0)
    const kernel = node.ints('kernel_shape') ?? []
    const { strides, dilations, padding } = windowOf(node, x, kernel)
    const isPadded = padding.some((each) => each !== 0)
    // WebNN leaves padded places out of the mean.
    const isOther = name === 'averagePool2d' && isPadded && node.int('count_include_pad', 0) === 1
    if (isOther || node.int('ceil_mode', 0) === 1 || dilations.some((each) => each !== 1))
      throw new Unsupported(`${node.op} in this way`)
    return builder[name](x, { windowDimensions: kernel, strides, padding, layout: 'nhwc' })
  }

const convTranspose: Operator = (node, { builder, input, plain }) => {
  const [x, filter] = [input(0), plain(1)]
  if (node.ints('output_shape') || node.text('auto_pad', 'NOTSET') !== 'NOTSET')
    throw new Unsupported('ConvTranspose to a given size')
  return builder.convTranspose2d(x, filter, {
    ...windowOf(node, x, filter.shape.slice(2)),
    ...{ groups: node.int('group', 1), inputLayout: 'nhwc', filterLayout: 'iohw' },
    outputPadding: node.ints('output_padding') ?? [0, 0],
    ...(node.has(2) && { bias: input(2) }),
  })
}

/** A convolution that isn't divided. */
const conv: Operator = (node, { builder, input, plain }) => {
  const [x, filter] = [input(0), plain(1)]
  return builder.conv2d(x, filter, {
    ...windowOf(node, x, filter.shape.slice(2)),
    ...{ groups: node.int('group', 1), inputLayout: 'nhwc', filterLayout: 'oihw' },
    ...(node.has(2) && { bias: input(2) }),
  })
}

const gemm: Operator = (node, { builder, input }) =>
  builder.gemm(input(0), input(1), {
    ...(node.has(2) && { c: input(2) }),
    ...{ alpha: node.float('alpha', 1), beta: node.float('beta', 1) },
    ...{ aTranspose: node.int('transA', 0) === 1, bTranspose: node.int('transB', 0) === 1 },
  })

const batchNormalization: Operator = (node, { builder, input }) => {
  const [scale, bias, epsilon] = [input(1), input(2), node.float('epsilon', 1e-5)]
  return builder.batchNormalization(input(0), input(3), input(4), { scale, bias, axis: axisOf(1, input(0)), epsilon })
}

const instanceNormalization: Operator = (node, { builder, input }) => {
  if (input(0).shape.length !== 4) throw new Unsupported(`${node.op} of another rank`)
  const [scale, bias, epsilon] = [input(1), input(2), node.float('epsilon', 1e-5)]
  return builder.instanceNormalization(input(0), { scale, bias, epsilon, layout: 'nhwc' })
}

const globalAverage: Operator = (node, { builder, input }) => {
  const x = input(0)
  if (!isPicture(x.shape)) throw new Unsupported(`${node.op} of another rank`)
  return builder.reduceMean(x, { axes: [1, 2], keepDimensions: true })
}

const clip: Operator = (node, { builder, input }) => {
  const bound = (index: number, name: string, none: number): number =>
    node.has(index) ? (node.numbers(index)[0] ?? none) : node.float(name, none)
  return builder.clamp(input(0), { minValue: bound(1, 'min', -Infinity), maxValue: bound(2, 'max', Infinity) })
}

const reshaped =
  (sizesOf: (node: Node, shape: readonly number[]) => readonly number[]): Operator =>
  (node, { builder, plain }) =>
    toChannelsLast(builder, builder.reshape(plain(0), sizesOf(node, plain(0).shape)))

/** An operand in ONNX's order. */
export const toOnnxOrder = (builder: GraphBuilder, operand: Operand): Operand =>
  isPicture(operand.shape) ? builder.transpose(operand, { permutation: onnxOrder }) : operand

/** An operand in ONNX's order as one of a picture. */
export const toChannelsLast = (builder: GraphBuilder, operand: Operand): Operand =>
  isPicture(operand.shape) ? builder.transpose(operand, { permutation: channelsLast }) : operand

const count = (shape: readonly number[]): number => shape.reduce((product, length) => product * length, 1)

/** Counts from the end if it is negative. */
const from = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis)

function reshape(node: Node, shape: readonly number[]): number[] {
  if (node.int('allowzero', 0) === 1) throw new Unsupported('Reshape to nothing')
  const sizes = node.numbers(1).map((size, axis) => (size === 0 ? (shape[axis] ?? 1) : size))
  const rest = count(shape) / count(sizes.filter((size) => size !== -1))
  return sizes.map((size) => (size === -1 ? rest : size))
}

function flatten(node: Node, shape: readonly number[]): number[] {
  const axis = from(node.int('axis', 1), shape.length)
  return [count(shape.slice(0, axis)), count(shape.slice(axis))]
}

function squeeze(node: Node, shape: readonly number[]): number[] {
  const axes = node.list(1, 'axes')?.map((axis) => from(axis, shape.length))
  return shape.filter((size, axis) => (axes ? !axes.includes(axis) : size !== 1))
}

function unsqueeze(node: Node, shape: readonly number[]): number[] {
  const axes = node.list(1, 'axes') ?? []
  const added = axes.map((axis) => from(axis, shape.length + axes.length))
  const sizes = [...shape]
  for (const axis of added.sort((a, b) => a - b)) sizes.splice(axis, 0, 1)
  return sizes
}

const transpose: Operator = (node, { builder, plain }) => {
  const x = plain(0)
  const permutation = node.ints('perm') ?? x.shape.map((_, axis, { length }) => length - 1 - axis)
  return toChannelsLast(builder, builder.transpose(x, { permutation }))
}

/** In ONNX's order. */
const matmul: Operator = (_, { builder, plain }) => toChannelsLast(builder, builder.matmul(plain(0), plain(1)))

const expand: Operator = (node, { builder, plain }) => {
  const x = plain(0)
  return toChannelsLast(builder, builder.expand(x, broadcast(x.shape, node.numbers(1))))
}

const concat: Operator = (node, { builder, input }) =>
  builder.concat(
    node.names.map((_, index) => input(index)),
    axisOf(node.int('axis', 0), input(0)),
  )

const split: Operator = (node, { builder, input }) => {
  const x = input(0)
  const axis = axisOf(node.int('axis', 0), x)
  const size = x.shape[axis] ?? 0
  const each = Math.ceil(size / node.outputs.length)
  const sizes = node.list(1, 'split') ?? node.outputs.map((_, index) => Math.min(each, size - index * each))
  return builder.split(x, sizes, { axis })
}

const slice: Operator = (node, { builder, input }) => {
  const x = input(0)
  const [begins, ends] = [node.list(1, 'starts') ?? [], node.list(2, 'ends') ?? []]
  const axes = node.list(3, 'axes') ?? begins.map((_, axis) => axis)
  const steps = node.has(4) ? node.numbers(4) : begins.map(() => 1)
  if (steps.some((step) => step < 1)) throw new Unsupported('Slice backwards')
  const [starts, sizes, strides] = [x.shape.map(() => 0), [...x.shape], x.shape.map(() => 1)]
  axes.forEach((given, at) => {
    const axis = axisOf(given, x)
    const size = x.shape[axis] ?? 0
    const within = (place: number): number => Math.min(size, Math.max(0, place < 0 ? place + size : place))
    const start = within(begins[at] ?? 0)
    starts[axis] = start
    sizes[axis] = within(ends[at] ?? size) - start
    strides[axis] = steps[at] ?? 1
  })
  return builder.slice(x, starts, sizes, { strides })
}

/** Chromium refuses `edge`. */
const modes = { constant: 'constant', reflect: 'reflection' } as const

const pad: Operator = (node, { builder, input }) => {
  const x = input(0)
  const mode = node.text('mode', 'constant')
  if (!(mode in modes) || node.has(3)) throw new Unsupported(`Pad in this way`)
  const pads = node.list(1, 'pads') ?? []
  const rank = x.shape.length
  if (pads.some((each) => each < 0)) throw new Unsupported('Pad that cuts')
  const value = node.has(2) ? (node.numbers(2)[0] ?? 0) : node.float('value', 0)
  const [begin, end] = [byAxis(pads.slice(0, rank)), byAxis(pads.slice(rank))]
  return builder.pad(x, begin, end, { mode: modes[mode as keyof typeof modes], value })
}

/**
 * WebNN's two ways: the nearest pixel, of a whole factor, where all of ONNX's coordinates agree but those named here; and
 * linear between the centres of pixels.
 */
const resize: Operator = (node, { builder, input }) => {
  const x = input(0)
  if (!isPicture(x.shape) || node.ints('axes')) throw new Unsupported(`${node.op} of another rank`)
  const isOld = node.op === 'Upsample' || node.opset < 11
  const [scalesAt, sizesAt] = isOld ? [1, 9] : [2, 3]
  const shape = inOnnxOrder(x.shape)
  const scales = node.has(sizesAt) ? null : node.has(scalesAt) ? node.numbers(scalesAt) : node.floats('scales')
  const sizes = scales ? shape.map((size, axis) => Math.floor(size * (scales[axis] ?? 1))) : node.numbers(sizesAt)
  const mode = node.text('mode', 'nearest')
  const coordinates = node.text('coordinate_transformation_mode', isOld ? 'asymmetric' : 'half_pixel')
  const rounding = node.text('nearest_mode', isOld ? 'floor' : 'round_prefer_floor')
  const isWhole = sizes.every((size, axis) => size % (shape[axis] ?? 1) === 0)
  const isNearest =
    (coordinates === 'asymmetric' && rounding === 'floor') || (coordinates === 'half_pixel' && /^round/.test(rounding))
  const isSupported = mode === 'nearest' ? isWhole && isNearest : mode === 'linear' && /half_pixel$/.test(coordinates)
  if (!isSupported || sizes[0] !== shape[0] || sizes[1] !== shape[1])
    throw new Unsupported(`${node.op}, ${mode}, ${coordinates}`)
  return builder.resample2d(x, {
    mode: mode === 'nearest' ? 'nearest-neighbor' : 'linear',
    ...{ sizes: sizes.slice(2), axes: [1, 2] },
  })
}

const softmax: Operator = (node, { builder, input }) => {
  const x = input(0)
  const rank = x.shape.length
  const axis = from(node.int('axis', node.opset < 13 ? 1 : -1), rank)
  // Older ones take all later axes together.
  if (node.opset < 13 && axis !== rank - 1) throw new Unsupported('Softmax over several axes')
  return builder.softmax(x, axisOf(axis, x))
}

const cast: Operator = (node, { input }) => {
  if (![1, 10].includes(node.int('to', 0))) throw new Unsupported('Cast to another type')
  return input(0)
}

/** Of values that aren't known; `folds` has those of sizes and axes. */
export const operators: Readonly<Record<string, Operator>> = {
  ...{ Abs: unary('abs'), Ceil: unary('ceil'), Cos: unary('cos'), Erf: unary('erf'), Exp: unary('exp') },
  ...{ Floor: unary('floor'), HardSwish: unary('hardSwish'), Log: unary('log'), Neg: unary('neg') },
  ...{ Reciprocal: unary('reciprocal'), Relu: unary('relu'), Sigmoid: unary('sigmoid'), Sin: unary('sin') },
  ...{ Softplus: unary('softplus'), Softsign: unary('softsign'), Sqrt: unary('sqrt'), Tanh: unary('tanh') },
  ...{ Add: binary('add'), Sub: binary('sub'), Mul: binary('mul'), Div: binary('div'), Pow: binary('pow') },
  ...{ PRelu: binary('prelu'), Max: binary('max'), Min: binary('min'), Sum: binary('add'), MatMul: matmul },
  ...{ ReduceMean: reduction('reduceMean'), ReduceSum: reduction('reduceSum'), ReduceMax: reduction('reduceMax') },
  ...{ ReduceMin: reduction('reduceMin'), ReduceL2: reduction('reduceL2') },
  ...{ ReduceSumSquare: reduction('reduceSumSquare'), GlobalAveragePool: globalAverage },
  ...{ AveragePool: pooling('averagePool2d'), MaxPool: pooling('maxPool2d') },
  ...{ Conv: conv, ConvTranspose: convTranspose, Gemm: gemm, BatchNormalization: batchNormalization },
  ...{ InstanceNormalization: instanceNormalization, Softmax: softmax, Clip: clip, Cast: cast },
  ...{ Identity: same, Dropout: same, Transpose: transpose, Concat: concat, Split: split, Slice: slice },
  ...{ Reshape: reshaped(reshape), Flatten: reshaped(flatten), Squeeze: reshaped(squeeze) },
  ...{ Unsqueeze: reshaped(unsqueeze), Pad: pad, Resize: resize, Upsample: resize },
  Expand: expand,
  LeakyRelu: (node, { builder, input }) => builder.leakyRelu(input(0), { alpha: node.float('alpha', 0.01) }),
  Elu: (node, { builder, input }) => builder.elu(input(0), { alpha: node.float('alpha', 1) }),
  HardSigmoid: (node, { builder, input }) =>
    builder.hardSigmoid(input(0), { alpha: node.float('alpha', 0.2), beta: node.float('beta', 0.5) }),
  Gelu: (node, { builder, input }) => {
    if (node.text('approximate', 'none') !== 'none') throw new Unsupported('Gelu by tanh')
    return builder.gelu(input(0))
  },
}

/** The sizes of two shapes together. */
function broadcast(one: readonly number[], other: readonly number[]): number[] {
  const rank = Math.max(one.length, other.length)
  const at = (shape: readonly number[], axis: number): number => shape[axis - rank + shape.length] ?? 1
  return Array.from({ length: rank }, (_, axis) => Math.max(at(one, axis), at(other, axis)))
}

/** Numbers of a list of sizes, at most. */
const maxFolded = 64

/**
 * The result of a node whose inputs are known: sizes and axes that an export computes. Null: it has to be computed when
 * the model runs.
 * @param shapeOf the sizes of an input
 */
export function fold(node: Node, shapeOf: (name: string) => readonly number[]): Constant | null {
  switch (node.op) {
    case 'Constant':
      return givenConstant(node)
    case 'Shape':
      return listOf(shapeOf(node.name(0)))
    case 'ConstantOfShape': {
      const tensor = node.tensor('value')
      const value = tensor ? (valuesOf(tensor)[0] ?? 0) : 0
      const dims = node.numbers(0)
      const own = tensor !== null && areIntegers(tensor)
      return { dims, areIntegers: own, values: () => new Float32Array(count(dims)).fill(value) }
    }
  }
  if (node.op === 'DequantizeLinear') return dequantised(node)
  const inputs = node.names.map((name) => node.constant(name))
  const fold = folds[node.op]
  if (!fold || inputs.length === 0) return null
  const small = inputs.flatMap((input) =>
    input && count(input.dims) <= maxFolded && input.dims.length < 2 ? [input] : [],
  )
  return small.length < inputs.length ? null : fold(node, small)
}

/** Weights of 8 bits as floats. One scale is for all of them, several are for places along an axis. */
function dequantised(node: Node): Constant {
  const { dims, values } = node.known(0)
  const [scales, zeros] = [node.known(1).values(), node.has(2) ? node.known(2).values() : null]
  const after = count(dims.slice(from(node.int('axis', 1), dims.length) + 1))
  const floats = values().map((value, at) => {
    const place = scales.length === 1 ? 0 : Math.floor(at / after) % scales.length
    return (value - (zeros?.[place] ?? 0)) * (scales[place] ?? 0)
  })
  return { dims, areIntegers: false, values: () => floats }
}

const known = (dims: readonly number[], values: ArrayLike<number>, areIntegers: boolean): Constant => ({
  ...{ dims, areIntegers },
  values: () => Float32Array.from(values),
})

const listOf = (values: readonly number[], areIntegers = true): Constant => known([values.length], values, areIntegers)

function givenConstant(node: Node): Constant {
  const tensor = node.tensor('value')
  if (tensor) return constantOf(tensor)
  const [ints, floats] = [node.ints('value_ints'), node.floats('value_floats')]
  if (ints?.length) return listOf(ints)
  if (floats?.length) return listOf(floats, false)
  const int = node.int('value_int', 0)
  return int === 0 ? known([], [node.float('value_float', 0)], false) : known([], [int], true)
}

type Fold = (node: Node, inputs: readonly Constant[]) => Constant | null

const each =
  (work: (a: number, b: number, areIntegers: boolean) => number): Fold =>
  (_, [one, other]) => {
    if (!one || !other) return null
    const [a, b] = [one.values(), other.values()]
    const length = Math.max(a.length, b.length)
    const at = (values: Float32Array, index: number): number => values[values.length === 1 ? 0 : index] ?? 0
    const dims = one.dims.length < other.dims.length ? other.dims : one.dims
    const whole = one.areIntegers && other.areIntegers
    const made = Array.from({ length }, (_, index) => work(at(a, index), at(b, index), whole))
    return known(dims, made, whole)
  }

const unchanged: Fold = (_, [input]) => input ?? null
/** Of one number: a list with it, or itself. */
const single =
  (dims: readonly number[]): Fold =>
  (_, [input]) =>
    input && count(input.dims) === 1 ? { ...input, dims } : null

/** Lists of numbers, and single numbers. */
const folds: Readonly<Record<string, Fold>> = {
  ...{ Add: each((a, b) => a + b), Sub: each((a, b) => a - b), Mul: each((a, b) => a * b) },
  Div: each((a, b, areIntegers) => (areIntegers ? Math.trunc(a / b) : a / b)),
  ...{ Identity: unchanged, Unsqueeze: single([1]), Squeeze: single([]) },
  Cast: (node, [input]) => {
    if (!input) return null
    const isFloat = [1, 10, 11].includes(node.int('to', 0))
    const values = isFloat ? input.values() : input.values().map(Math.trunc)
    return known(input.dims, values, !isFloat)
  },
  Floor: (_, [input]) => (input ? known(input.dims, input.values().map(Math.floor), input.areIntegers) : null),
  Concat: (_, inputs) =>
    listOf(
      inputs.flatMap((input) => [...input.values()]),
      inputs.every(({ areIntegers }) => areIntegers),
    ),
  Gather: (_, [list, places]) => {
    if (!list || !places) return null
    const values = list.values()
    const taken = [...places.values()].map((place) => values[place < 0 ? place + values.length : place] ?? 0)
    return known(places.dims, taken, list.areIntegers)
  },
  Slice: (node, [list]) => {
    if (!list || node.has(4)) return null
    const [start, end] = [node.list(1, 'starts')?.[0] ?? 0, node.list(2, 'ends')?.[0] ?? 0]
    return listOf([...list.values().slice(start, end)], list.areIntegers)
  },
}
