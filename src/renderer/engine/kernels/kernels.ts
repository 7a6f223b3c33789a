/**
 * @file Pixel loops in WebAssembly, from the C files of this folder. They use SIMD and, unlike JIT-compiled code, are as
 * fast on the first frame as on the hundredth. Arrays are copied in and results out, which costs a hundredth of the work.
 */
import type { Canvas } from '../common/canvas.ts'
import wasm from './kernels.wasm?url&inline'

type Kernel = (...args: number[]) => void

interface Exports {
  memory: WebAssembly.Memory
  __heap_base: WebAssembly.Global<'i32'>
  /** Arguments are addresses in the memory, and numbers; see the C files. */
  draw: Kernel
  blur: Kernel
  blend_luma: Kernel
  mix: Kernel
  mix_bytes: Kernel
  soften: Kernel
  sharpness: (...args: number[]) => number
  blend_chroma: Kernel
  blur_fields: Kernel
  sum_lit: Kernel
  sample_square: Kernel
  count_grain: Kernel
  add_grain: Kernel
  halve: Kernel
  add_coarse_grain: Kernel
  add_cover: Kernel
  guide_cover: Kernel
  keep_cover: Kernel
  keep_hair: Kernel
  blur_inside: Kernel
  halve_weights: Kernel
  planes_to_rgba: Kernel
  rgba_to_planes: Kernel
  enlarge: Kernel
  scale_columns: Kernel
  scale_rows: Kernel
}

const bytes = Uint8Array.from(atob(wasm.slice(wasm.indexOf(',') + 1)), (letter) => letter.charCodeAt(0))
// The exports are declared in the C files.
export const kernels = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as unknown as Exports

type Source = Uint8Array | Uint8ClampedArray | Uint16Array | Int16Array | Int32Array | Float32Array

/** Addresses of the arrays that stay in the memory. */
let kept = new WeakMap<Source, number>()
const keptFrom = kernels.__heap_base.value
let keptEnd = keptFrom
/** Bytes. When they are used up, all kept arrays are dropped, so that a worker with many faces doesn't grow for ever. */
const maxKept = 32 << 20

/**
 * Copies an array that never changes into the memory and leaves it there, so that `Room.copy` needn't copy it. Meant for
 * textures, which are read in each frame. It invalidates the addresses of the room in use.
 */
export function keep(array: Source): void {
  if (kept.has(array)) return
  if (keptEnd - keptFrom + array.byteLength > maxKept) {
    kept = new WeakMap()
    keptEnd = keptFrom
  }
  const room = new Room()
  kept.set(array, room.copy(array))
  keptEnd = room.end
}

/** Bump allocator for the kernels' memory. A new instance starts over and invalidates the previous one's addresses. */
export class Room {
  #end = keptEnd

  get end(): number {
    return this.#end
  }

  take(size: number): number {
    // Align to 16 bytes for vectors. The 64 spare bytes allow vector reads past the end.
    const at = (this.#end + 15) & ~15
    this.#end = at + size
    const missing = this.#end + 64 - kernels.memory.buffer.byteLength
    if (missing > 0) kernels.memory.grow(Math.ceil(missing / 65536))
    return at
  }

  /** Copies an array into the memory, unless it is kept there. @returns its address */
  copy(from: Source): number {
    const known = kept.get(from)
    if (known !== undefined) return known
    const at = this.take(from.byteLength)
    this.bytes(at, from.byteLength).set(new Uint8Array(from.buffer, from.byteOffset, from.byteLength))
    return at
  }

  /** Copies a rectangle from the memory back to a plane. */
  paste(at: number, plane: Uint8Array, stride: number, { left, top, width, height }: Canvas): void {
    const from = this.bytes(at, width * height)
    for (let row = 0; row < height; row += 1) {
      plane.set(from.subarray(row * width, (row + 1) * width), (top + row) * stride + left)
    }
  }

  /** View of `size` bytes at an address; valid until the next allocation. */
  bytes(at: number, size: number): Uint8Array {
    return new Uint8Array(kernels.memory.buffer, at, size)
  }
}
