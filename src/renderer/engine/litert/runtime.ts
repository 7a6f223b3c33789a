/** @file Loads LiteRT.js in a module worker and runs models. */
import { loadAndCompile, loadLiteRt, Tensor, type CompiledModel, type CompileOptions } from '@litertjs/core'
import moduleFactory from '@litertjs/core/wasm/litert_wasm_jspi_internal.js'
import wasmUrl from '@litertjs/core/wasm/litert_wasm_jspi_internal.wasm?url'
import { closeBatch } from './flatbuffer.ts'

/**
 * Loads the runtime. Its loader calls `importScripts`, which throws in a module worker, and requests a WebGPU device,
 * which isn't used. So the script is imported as a module, and both globals are replaced. Of LiteRT's builds this one can
 * wait for WebNN (JSPI).
 */
export async function loadRuntime(): Promise<void> {
  Object.defineProperty(globalThis, 'importScripts', { value: () => undefined, configurable: true })
  Object.defineProperty(navigator, 'gpu', { value: undefined, configurable: true })
  Object.assign(globalThis, {
    ModuleFactory: moduleFactory,
    Module: { locateFile: () => wasmUrl, printErr: () => undefined },
  })
  const { warn } = console
  console.warn = () => undefined
  try {
    await loadLiteRt('litert_wasm_jspi_internal.js')
  } finally {
    console.warn = warn
  }
}

/** A compiled model whose input is a square picture, RGB interleaved. All tensors are float32. */
export class Model {
  readonly #shape: number[]
  readonly #input: Float32Array

  private constructor(
    private readonly compiled: CompiledModel,
    side: number,
  ) {
    this.#shape = [1, side, side, 3]
    this.#input = new Float32Array(side * side * 3)
  }

  /** @param side side of the input square in pixels */
  static async compile(bytes: Uint8Array, side: number): Promise<Model> {
    return new Model(await compiled(bytes, { accelerator: 'wasm' }), side)
  }

  /** For WebNN on the processor. @throws Error where WebNN can't run all of it */
  static async compileNative(bytes: Uint8Array, side: number): Promise<Model> {
    // Without WebNN, LiteRT would compile it for WebAssembly again.
    if (!('ml' in navigator)) throw new Error('there is no WebNN')
    const model = await compiled(bytes, { accelerator: 'webnn', webNNOptions: { devicePreference: 'cpu' } })
    if (model.isFullyAccelerated) return new Model(model, side)
    model.delete()
    throw new Error('WebNN lacks an operator')
  }

  /**
   * Runs the model on the picture that `draw` writes to `to` (side² · 3 values). There is only one input buffer. It is
   * filled and copied synchronously, so concurrent calls are safe.
   * @returns copies of the outputs, in the model's order
   */
  async run(draw: (to: Float32Array) => void): Promise<Float32Array[]> {
    draw(this.#input)
    const tensor = new Tensor(this.#input, this.#shape)
    const outputs = await this.compiled.run([tensor])
    tensor.delete()
    return outputs.map((output) => {
      const values = output.toTypedArray()
      output.delete()
      if (!(values instanceof Float32Array)) throw new Error('the model answers in another type')
      return values
    })
  }
}

function compiled(bytes: Uint8Array, options: CompileOptions): Promise<CompiledModel> {
  const own = bytes.slice()
  closeBatch(own)
  return loadAndCompile(own, options)
}
