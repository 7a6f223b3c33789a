/**
 * @file ONNX's operators (https://onnx.ai/onnx/operators/) in those of WebNN. Tensors are float32; a model's float16 is
 * computed as float32, too. Pictures, which are all tensors of rank 4, have their channels last, as XNNPACK wants them,
 * not second as in ONNX. What isn't here, or not in this way, makes a model unsupported.
 */
import type { BinaryName, GraphBuilder, Operand, ReductionName, UnaryName } from './ml.ts'
import { count, positive, Unsupported, type Node } from './node.ts'

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
const isPicture = ({ length }: readonly number[]): boolean => length === 4

/** A number for each axis, in an operand's order and in ONNX's. */
export const withChannelsLast = (list: readonly number[]): number[] => reordered(list, channelsLast)
export const inOnnxOrder = (list: readonly number[]): number[] => reordered(list, onnxOrder)

const reordered = (list: readonly number[], order: readonly number[]): number[] =>
  isPicture(list) ? order.map((axis) => list[axis] ?? 0) : [...list]

/** An axis of ONNX's as one of an operand's. */
function axisOf(axis: number, { shape }: Operand): number {
  const given = positive(axis, shape.length)
  return isPicture(shape) ? (onnxOrder[given] ?? given) : given
}

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
function aligned(length: number, { builder, input }: Build): Operand[] {
  const all = Array.from({ length }, (_, index) => input(index))
  if (!all.some(({ shape }) => isPicture(shape))) return all
  return all.map((operand) => {
    const rank = operand.shape.length
    if (rank === 0 || rank >= 4) return operand
    const filled = builder.reshape(operand, [...Array<number>(4 - rank).fill(1), ...operand.shape])
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

function reshape(node: Node, shape: readonly number[]): number[] {
  if (node.int('allowzero', 0) === 1) throw new Unsupported('Reshape to nothing')
  const sizes = node.numbers(1).map((size, axis) => (size === 0 ? (shape[axis] ?? 1) : size))
  const rest = count(shape) / count(sizes.filter((size) => size !== -1))
  return sizes.map((size) => (size === -1 ? rest : size))
}

function flatten(node: Node, shape: readonly number[]): number[] {
  const axis = positive(node.int('axis', 1), shape.length)
  return [count(shape.slice(0, axis)), count(shape.slice(axis))]
}

function squeeze(node: Node, shape: readonly number[]): number[] {
  const axes = node.list(1, 'axes')?.map((axis) => positive(axis, shape.length))
  return shape.filter((size, axis) => (axes ? !axes.includes(axis) : size !== 1))
}

function unsqueeze(node: Node, shape: readonly number[]): number[] {
  const axes = node.list(1, 'axes') ?? []
  const added = axes.map((axis) => positive(axis, shape.length + axes.length))
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
  if (!(mode in modes) || node.has(3)) throw new Unsupported('Pad in this way')
  const pads = node.list(1, 'pads') ?? []
  const rank = x.shape.length
  if (pads.some((each) => each < 0)) throw new Unsupported('Pad that cuts')
  const value = node.has(2) ? (node.numbers(2)[0] ?? 0) : node.float('value', 0)
  const [begin, end] = [withChannelsLast(pads.slice(0, rank)), withChannelsLast(pads.slice(rank))]
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
  const axis = positive(node.int('axis', node.opset < 13 ? 1 : -1), rank)
  // Older ones take all later axes together.
  if (node.opset < 13 && axis !== rank - 1) throw new Unsupported('Softmax over several axes')
  return builder.softmax(x, axisOf(axis, x))
}

const cast: Operator = (node, { input }) => {
  if (![1, 10].includes(node.int('to', 0))) throw new Unsupported('Cast to another type')
  return input(0)
}

/** Of values that aren't known; `fold.ts` has the others. */
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
