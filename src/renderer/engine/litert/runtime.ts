/** @file LiteRT.js in a module worker, with one small call to run a model. */
import { loadAndCompile, loadLiteRt, Tensor, type CompiledModel } from '@litertjs/core'
import moduleFactory from '@litertjs/core/wasm/litert_wasm_internal.js'
import wasmUrl from '@litertjs/core/wasm/litert_wasm_internal.wasm?url'
import { closeBatch } from './flatbuffer.ts'

/**
 * Loads the runtime. Its own loader calls `importScripts`, which throws in a module worker, and asks for a WebGPU device
 * that is not wanted here; so the script comes in as a module, and both are put out of its way.
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
    await loadLiteRt('litert_wasm_internal.js')
  } finally {
    console.warn = warn
  }
}

/** A compiled model whose tensors are all float32. */
export class Model {
  readonly #compiled: CompiledModel

  private constructor(compiled: CompiledModel) {
    this.#compiled = compiled
  }

  static async compile(bytes: Uint8Array): Promise<Model> {
    const own = bytes.slice()
    closeBatch(own)
    return new Model(await loadAndCompile(own, { accelerator: 'wasm' }))
  }

  /** Runs on one input of the given shape; the outputs are copies, in the model's order. */
  async run(input: Float32Array, shape: number[]): Promise<Float32Array[]> {
    const tensor = new Tensor(input, shape)
    const outputs = await this.#compiled.run([tensor])
    tensor.delete()
    return outputs.map((output) => {
      const values = output.toTypedArray()
      output.delete()
      if (!(values instanceof Float32Array)) throw new Error('the model answers in another type')
      return values
    })
  }
}
