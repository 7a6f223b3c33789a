/**
 * @file The loops over pixels, in WebAssembly (`kernels.c`): several pixels at a time, and as quick on the first
 * frame as on the hundredth. Arrays are copied in and results out; copying costs a hundredth of the work.
 */
import type { Canvas } from '../media/pixels/planes.ts'
import wasm from './kernels.wasm?url&inline'

type Kernel = (...args: number[]) => void

interface Exports {
  memory: WebAssembly.Memory
  __heap_base: WebAssembly.Global<'i32'>
  /** Arguments are places in the memory and numbers; see kernels.c. */
  draw: Kernel
  blur: Kernel
  blend_luma: Kernel
  blend_chroma: Kernel
  blur_field: Kernel
  sum_lit: Kernel
  sample_square: Kernel
  sum_grain: Kernel
  add_grain: Kernel
}

const bytes = Uint8Array.from(atob(wasm.slice(wasm.indexOf(',') + 1)), (letter) => letter.charCodeAt(0))
// Its exports are those of kernels.c.
export const kernels = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as unknown as Exports

/** Places in the kernels' memory, given out one after the other; each new room begins at its start. */
export class Room {
  #end = kernels.__heap_base.value

  take(size: number): number {
    // Vectors are aligned, and may be read past an end.
    const at = (this.#end + 15) & ~15
    this.#end = at + size
    const missing = this.#end + 64 - kernels.memory.buffer.byteLength
    if (missing > 0) kernels.memory.grow(Math.ceil(missing / 65536))
    return at
  }

  /** A place with a copy of an array. */
  copy(from: Uint8Array | Uint16Array | Int32Array | Float32Array): number {
    const at = this.take(from.byteLength)
    this.bytes(at, from.byteLength).set(new Uint8Array(from.buffer, from.byteOffset, from.byteLength))
    return at
  }

  /** A place with a copy of a rectangle. */
  cut(plane: Uint8Array, stride: number, { left, top, width, height }: Canvas): number {
    const at = this.take(width * height)
    const to = this.bytes(at, width * height)
    for (let row = 0; row < height; row += 1) {
      const from = (top + row) * stride + left
      to.set(plane.subarray(from, from + width), row * width)
    }
    return at
  }

  /** The other way round. */
  paste(at: number, plane: Uint8Array, stride: number, { left, top, width, height }: Canvas): void {
    const from = this.bytes(at, width * height)
    for (let row = 0; row < height; row += 1) {
      plane.set(from.subarray(row * width, (row + 1) * width), (top + row) * stride + left)
    }
  }

  /** What is in a place; good until the next one is taken. */
  bytes(at: number, size: number): Uint8Array {
    return new Uint8Array(kernels.memory.buffer, at, size)
  }
}
