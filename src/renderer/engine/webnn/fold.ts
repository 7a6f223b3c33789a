/**
 * @file Nodes whose results are known before the model runs: constants, weights of 8 bits, and the sizes and axes that an
 * export computes.
 */
import { constantOf, count, positive, type Constant, type Node } from './node.ts'
import { areIntegers, valuesOf } from './onnx.ts'

/** Numbers of a list of sizes, at most. */
const maxFolded = 64

/**
 * The result of a node; null: it has to be computed when the model runs.
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
  const after = count(dims.slice(positive(node.int('axis', 1), dims.length) + 1))
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
