/**
 * @file Divides an ONNX model into WebNN graphs. Chromium computes a graph on the processor with XNNPACK, in one thread,
 * and graphs that don't wait for each other side by side. So each large convolution is several graphs, each for some of
 * its output's channels. What lies between large convolutions is one graph, a stage.
 *
 * A convolution is also a sum of convolutions, each of some input channels. For every few pixels, XNNPACK's runs through
 * the weights of all input channels; those of fewer channels stay in the cache. With 1,024 channels this takes 0.55 of
 * the time.
 */
import type { ProtobufFile } from '@shared/engine/protobuf.ts'
import { readModel, withValues, type OnnxNode } from './onnx.ts'
import { newBuilder, type GraphBuilder, type MlContext, type MlGraph, type Operand } from './ml.ts'
import { fold } from './fold.ts'
import { constantOf, Node, Unsupported, type Constant } from './node.ts'
import { inOnnxOrder, operators, toChannelsLast, toOnnxOrder, windowOf, withChannelsLast } from './operators.ts'

/** A tensor between graphs. */
export interface Slot {
  name: string
  shape: readonly number[]
}

/** A graph, and the tensors that it reads and writes. Their names are those of its inputs and outputs. */
export interface Step {
  graph: MlGraph
  inputs: Slot[]
  outputs: Slot[]
}

export interface Compiled {
  /** Each after those whose tensors it reads. */
  steps: Step[]
  /** The model's, by name. */
  inputs: Map<string, Slot>
  outputs: Map<string, Slot>
}

/** A value that the model computes. */
interface Computed {
  /** The first stage that can use it. */
  stage: number
  /** Channels last, if it is a picture. */
  shape: readonly number[]
  /** In that stage's graph, if it was made there. */
  operand: Operand | null
  /** Tensors that hold its channels, one after the other, by their number: once another graph reads it. */
  slots: Map<number, Slot[]>
}

type Value = Computed | Constant

const isKnown = (value: Value): value is Constant => 'values' in value

/** A graph that is being made. */
interface Open {
  builder: GraphBuilder
  /** What it has as an operand. */
  operands: Map<Value, Operand>
  inputs: Slot[]
  outputs: Map<Slot, Operand>
}

/** Multiplications below which a convolution isn't divided. */
const minMultiplications = 5e7
/** Weights of an output channel that stay in the cache. */
const maxDepth = 2304
/** Output channels that XNNPACK computes together. */
const channelStep = 16
/** Graphs that Chromium gets at once. Its copies of their weights take memory. */
const maxBuilding = 8

const dataType = 'float32'

/**
 * @param threads number of graphs that run side by side
 * @throws Unsupported, WebNN's errors, and as `readModel`
 */
export const compile = (context: MlContext, file: ProtobufFile, threads: number): Promise<Compiled> =>
  new Compiler(context, file, threads).compile()

class Compiler {
  readonly #values = new Map<string, Value>()
  /** The model's inputs, in ONNX's order. */
  readonly #given = new Map<Computed, Slot>()
  readonly #stages: Open[] = []
  /** Parts of convolutions, by the stage after which they run. */
  readonly #parts: Promise<Step>[][] = []
  readonly #building: Promise<Step>[] = []
  #slots = 0

  constructor(
    private readonly context: MlContext,
    private readonly file: ProtobufFile,
    private readonly threads: number,
  ) {}

  async compile(): Promise<Compiled> {
    const model = await readModel(this.file)
    for (const tensor of model.initializers) this.#values.set(tensor.name, constantOf(tensor))
    const inputs = new Map(model.inputs.map(({ name, dims }) => [name, this.#input(name, dims)]))
    for await (const node of withValues(this.file, model)) {
      this.#add(node, model.opset)
      if (this.#building.length > maxBuilding) await this.#building.shift()
    }
    const outputs = new Map(model.outputs.map((name) => [name, this.#output(name)]))
    return { steps: await this.#steps(), inputs, outputs }
  }

  #input(name: string, dims: readonly (number | null)[]): Slot {
    const shape = dims.map((size, axis) => {
      if (size === null && axis > 0) throw new Unsupported('an input of any size')
      return size ?? 1
    })
    const slot = this.#newSlot(shape)
    const value: Computed = { stage: 0, shape: withChannelsLast(shape), operand: null, slots: new Map() }
    this.#values.set(name, value)
    this.#given.set(value, slot)
    return slot
  }

  #output(name: string): Slot {
    const value = this.#values.get(name)
    if (!value || isKnown(value)) throw new Unsupported('an output that is known')
    const stage = this.#stage(value.stage)
    const operand = toOnnxOrder(stage.builder, this.#in(stage, value))
    const slot = this.#newSlot(operand.shape)
    // WebNN refuses an input as an output, and one output twice.
    stage.outputs.set(slot, stage.builder.reshape(operand, operand.shape))
    return slot
  }

  async #steps(): Promise<Step[]> {
    const steps: Promise<Step>[] = []
    for (let stage = 0; stage < Math.max(this.#stages.length, this.#parts.length); stage += 1) {
      const open = this.#stages[stage]
      if (open && open.outputs.size > 0) steps.push(stepOf(open))
      steps.push(...(this.#parts[stage] ?? []))
    }
    return Promise.all(steps)
  }

  #add(node: OnnxNode, opset: number): void {
    const valueOf = (name: string): Value => {
      const value = this.#values.get(name)
      if (!value) throw new Unsupported(`${node.op} of something unknown`)
      return value
    }
    const own = new Node(node, opset, (name) => {
      const value = this.#values.get(name)
      return value && isKnown(value) ? value : null
    })
    const known = fold(own, (name) => shapeOf(valueOf(name)))
    if (known) {
      this.#values.set(node.outputs[0] ?? '', known)
      return
    }
    if (node.op === 'Conv' && this.#divide(own, valueOf(own.name(0)))) return
    const operator = operators[node.op]
    if (!operator) throw new Unsupported(node.op)
    const stage = Math.max(0, ...own.names.map(valueOf).map((value) => (isKnown(value) ? 0 : value.stage)))
    const open = this.#stage(stage)
    const { builder } = open
    const input = (index: number): Operand => this.#in(open, valueOf(own.name(index)))
    const made = operator(own, { builder, input, plain: (index) => toOnnxOrder(builder, input(index)) })
    for (const [index, operand] of [made].flat().entries())
      this.#values.set(node.outputs[index] ?? '', { stage, shape: operand.shape, operand, slots: new Map() })
  }

  /** Makes several graphs of a large convolution. @returns false if it isn't large */
  #divide(node: Node, x: Value): boolean {
    const filter = node.constant(node.name(1))
    if (isKnown(x) || filter?.dims.length !== 4 || node.int('group', 1) !== 1) return false
    const [channels = 0, depth = 0, height = 0, width = 0] = filter.dims
    const window = windowOf(node, x, [height, width])
    const [, rows = 0, columns = 0] = x.shape
    const pixels = (rows * columns) / window.strides.reduce((product, stride) => product * stride, 1)
    if (channels * depth * height * width * pixels < minMultiplications) return false
    const weights = filter.values()
    const bias = node.has(2) ? node.known(2).values() : null
    const slices = this.#slotsOf(x, Math.ceil((depth * height * width) / maxDepth))
    const share = Math.ceil(channels / this.threads / channelStep) * channelStep
    const slots: Slot[] = []
    for (let first = 0; first < channels; first += share) {
      const count = Math.min(share, channels - first)
      const open = this.#open()
      const { builder } = open
      let from = 0
      const sums = slices.map((slice) => {
        const some = slice.shape[3] ?? 0
        const part = filterPart(weights, filter.dims, { first, count, from, some })
        const shift = bias && from === 0 ? { bias: floats(builder, [count], bias.slice(first, first + count)) } : {}
        from += some
        return builder.conv2d(inputIn(open, slice), floats(builder, [count, some, height, width], part), {
          ...{ ...window, ...shift, groups: 1, inputLayout: 'nhwc', filterLayout: 'oihw' },
        })
      })
      const sum = sums.reduce((total, each) => builder.add(total, each))
      const slot = this.#newSlot(sum.shape)
      open.outputs.set(slot, sum)
      slots.push(slot)
      const step = stepOf(open)
      // Awaited later, unless something else fails before.
      step.catch(() => undefined)
      this.#building.push(step)
      ;(this.#parts[x.stage] ??= []).push(step)
    }
    const shape = [...(slots[0]?.shape.slice(0, 3) ?? []), channels]
    const made: Computed = { stage: x.stage + 1, shape, operand: null, slots: new Map([[slots.length, slots]]) }
    this.#values.set(node.outputs[0] ?? '', made)
    return true
  }

  #open(): Open {
    return { builder: newBuilder(this.context), operands: new Map(), inputs: [], outputs: new Map() }
  }

  #stage(stage: number): Open {
    return (this.#stages[stage] ??= this.#open())
  }

  #newSlot(shape: readonly number[]): Slot {
    this.#slots += 1
    return { name: `slot ${String(this.#slots)}`, shape }
  }

  /** A value as an operand of a graph. */
  #in(open: Open, value: Value): Operand {
    const there = open.operands.get(value)
    if (there) return there
    const operand = isKnown(value) ? constantIn(open, value) : this.#brought(open, value)
    open.operands.set(value, operand)
    return operand
  }

  #brought(open: Open, value: Computed): Operand {
    if (value.operand && this.#stages[value.stage] === open) return value.operand
    const given = this.#given.get(value)
    if (given) return toChannelsLast(open.builder, inputIn(open, given))
    const [any] = value.slots.values()
    const inputs = (any ?? this.#slotsOf(value, 1)).map((slot) => inputIn(open, slot))
    return inputs.length === 1 && inputs[0] ? inputs[0] : open.builder.concat(inputs, value.shape.length - 1)
  }

  /** A value's channels in so many tensors, which its stage writes. */
  #slotsOf(value: Computed, count: number): Slot[] {
    const there = value.slots.get(count)
    if (there) return there
    const home = this.#stage(value.stage)
    const operand = this.#in(home, value)
    const axis = value.shape.length - 1
    const channels = value.shape[axis] ?? 1
    const share = Math.ceil(channels / count)
    const sizes = Array.from({ length: count }, (_, index) => Math.min(share, channels - index * share))
    const pieces = count === 1 ? [operand] : home.builder.split(operand, sizes, { axis })
    const slots = pieces.map((piece) => {
      const slot = this.#newSlot(piece.shape)
      home.outputs.set(slot, piece)
      return slot
    })
    value.slots.set(count, slots)
    return slots
  }
}

/** In ONNX's order. */
const shapeOf = (value: Value): readonly number[] => (isKnown(value) ? value.dims : inOnnxOrder(value.shape))

const floats = (builder: GraphBuilder, shape: readonly number[], values: Float32Array): Operand =>
  builder.constant({ dataType, shape }, values)

const constantIn = ({ builder }: Open, { dims, values }: Constant): Operand =>
  toChannelsLast(builder, floats(builder, dims, values()))

/** A tensor as an input of a graph. */
function inputIn(open: Open, slot: Slot): Operand {
  open.inputs.push(slot)
  return open.builder.input(slot.name, { dataType, shape: slot.shape })
}

async function stepOf({ builder, inputs, outputs }: Open): Promise<Step> {
  const named = Object.fromEntries([...outputs].map(([{ name }, operand]) => [name, operand]))
  return { graph: await builder.build(named), inputs, outputs: [...outputs.keys()] }
}

/** Some output and input channels of a filter. */
function filterPart(
  weights: Float32Array,
  [, depth = 0, height = 0, width = 0]: readonly number[],
  { first, count, from, some }: { first: number; count: number; from: number; some: number },
): Float32Array {
  const area = height * width
  if (some === depth) return weights.subarray(first * depth * area, (first + count) * depth * area)
  const part = new Float32Array(count * some * area)
  for (let channel = 0; channel < count; channel += 1) {
    const start = ((first + channel) * depth + from) * area
    part.set(weights.subarray(start, start + some * area), channel * some * area)
  }
  return part
}
