/** @file A node of an ONNX graph, as it is translated. */
import { areIntegers, valuesOf, type OnnxNode, type OnnxTensor } from './onnx.ts'

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

/** Numbers of a tensor. */
export const count = (shape: readonly number[]): number => shape.reduce((product, length) => product * length, 1)

/** An axis of ONNX's, which counts from the end if it is negative. */
export const positive = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis)
