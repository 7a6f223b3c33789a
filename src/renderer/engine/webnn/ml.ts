/** @file The part of WebNN that is used (https://www.w3.org/TR/webnn/), which TypeScript's library lacks. */

export interface Operand {
  readonly shape: readonly number[]
}

export interface Descriptor {
  dataType: 'float32'
  shape: readonly number[]
}

export type MlTensor = Descriptor & { destroy: () => void }
export interface MlGraph {
  destroy: () => void
}

type Tensors = Readonly<Record<string, MlTensor>>

export interface MlContext {
  createTensor: (descriptor: Descriptor & { readable?: boolean; writable?: boolean }) => Promise<MlTensor>
  writeTensor: (tensor: MlTensor, values: Float32Array) => void
  readTensor: (tensor: MlTensor) => Promise<ArrayBuffer>
  /** Runs a graph once its inputs are written. Graphs that don't wait for each other run side by side. */
  dispatch: (graph: MlGraph, inputs: Tensors, outputs: Tensors) => void
  /** Ends its graphs and tensors, too. */
  destroy: () => void
}

type Unary = (input: Operand) => Operand
type Binary = (a: Operand, b: Operand) => Operand
type Reduction = (input: Operand, options: { axes: readonly number[]; keepDimensions: boolean }) => Operand
type Pooling = (
  input: Operand,
  options: {
    windowDimensions: readonly number[]
    strides: readonly number[]
    padding: readonly number[]
    layout: 'nhwc'
  },
) => Operand

interface ConvolutionOptions {
  /** Begin and end of the height, then of the width. */
  padding: readonly number[]
  strides: readonly number[]
  dilations: readonly number[]
  groups: number
  inputLayout: 'nhwc'
  bias?: Operand
}

export type UnaryName =
  | 'abs'
  | 'ceil'
  | 'cos'
  | 'erf'
  | 'exp'
  | 'floor'
  | 'gelu'
  | 'hardSwish'
  | 'log'
  | 'neg'
  | 'reciprocal'
  | 'relu'
  | 'sigmoid'
  | 'sin'
  | 'softplus'
  | 'softsign'
  | 'sqrt'
  | 'tanh'
export type BinaryName = 'add' | 'sub' | 'mul' | 'div' | 'pow' | 'max' | 'min' | 'matmul' | 'prelu'
export type ReductionName = 'reduceMean' | 'reduceSum' | 'reduceMax' | 'reduceMin' | 'reduceL2' | 'reduceSumSquare'

export type GraphBuilder = Record<UnaryName, Unary> &
  Record<BinaryName, Binary> &
  Record<ReductionName, Reduction> &
  Record<'averagePool2d' | 'maxPool2d', Pooling> & {
    input: (name: string, descriptor: Descriptor) => Operand
    constant: (descriptor: Descriptor, values: Float32Array) => Operand
    build: (outputs: Readonly<Record<string, Operand>>) => Promise<MlGraph>
    batchNormalization: (
      input: Operand,
      mean: Operand,
      variance: Operand,
      options: { scale: Operand; bias: Operand; axis: number; epsilon: number },
    ) => Operand
    clamp: (input: Operand, options: { minValue?: number; maxValue?: number }) => Operand
    concat: (inputs: readonly Operand[], axis: number) => Operand
    conv2d: (input: Operand, filter: Operand, options: ConvolutionOptions & { filterLayout: 'oihw' }) => Operand
    convTranspose2d: (
      input: Operand,
      filter: Operand,
      options: ConvolutionOptions & { outputPadding: readonly number[]; filterLayout: 'iohw' },
    ) => Operand
    elu: (input: Operand, options: { alpha: number }) => Operand
    expand: (input: Operand, shape: readonly number[]) => Operand
    gemm: (
      a: Operand,
      b: Operand,
      options: { c?: Operand; alpha: number; beta: number; aTranspose: boolean; bTranspose: boolean },
    ) => Operand
    hardSigmoid: (input: Operand, options: { alpha: number; beta: number }) => Operand
    instanceNormalization: (
      input: Operand,
      options: { scale: Operand; bias: Operand; epsilon: number; layout: 'nhwc' },
    ) => Operand
    leakyRelu: (input: Operand, options: { alpha: number }) => Operand
    pad: (
      input: Operand,
      begin: readonly number[],
      end: readonly number[],
      options: { mode: 'constant' | 'reflection'; value?: number },
    ) => Operand
    resample2d: (
      input: Operand,
      options: { mode: 'nearest-neighbor' | 'linear'; sizes: readonly number[]; axes: readonly number[] },
    ) => Operand
    reshape: (input: Operand, shape: readonly number[]) => Operand
    slice: (
      input: Operand,
      starts: readonly number[],
      sizes: readonly number[],
      options?: { strides: readonly number[] },
    ) => Operand
    softmax: (input: Operand, axis: number) => Operand
    split: (input: Operand, sizes: readonly number[], options: { axis: number }) => Operand[]
    transpose: (input: Operand, options: { permutation: readonly number[] }) => Operand
  }

interface Ml {
  createContext: (options: { deviceType: 'cpu' }) => Promise<MlContext>
}

const ml = (): Ml | null => (navigator as { ml?: Ml }).ml ?? null

export const hasWebnn = (): boolean => ml() !== null

/** While its GPU process starts, Chromium refuses a context with a "connection error". */
const tries = { count: 10, everyMs: 100 }

/** @throws Error if there is no WebNN */
export async function createContext(): Promise<MlContext> {
  const webnn = ml()
  if (!webnn) throw new Error('no WebNN')
  for (let left = tries.count; ; left -= 1) {
    try {
      return await webnn.createContext({ deviceType: 'cpu' })
    } catch (error) {
      if (left === 1) throw error
      await new Promise((resolve) => setTimeout(resolve, tries.everyMs))
    }
  }
}

export function newBuilder(context: MlContext): GraphBuilder {
  const { MLGraphBuilder } = globalThis as unknown as { MLGraphBuilder: new (context: MlContext) => GraphBuilder }
  return new MLGraphBuilder(context)
}
