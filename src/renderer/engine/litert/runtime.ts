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

/** A compiled model that looks at a square picture, RGB interleaved; all its tensors are float32. */
export class Model {
  readonly #compiled: CompiledModel
  readonly #shape: number[]
  readonly #input: Float32Array

  private constructor(compiled: CompiledModel, side: number) {
    this.#compiled = compiled
    this.#shape = [1, side, side, 3]
    this.#input = new Float32Array(side * side * 3)
  }

  /** @param side of the square in pixels */
  static async compile(bytes: Uint8Array, side: number): Promise<Model> {
    const own = bytes.slice()
    closeBatch(own)
    return new Model(await loadAndCompile(own, { accelerator: 'wasm' }), side)
  }

  /**
   * Runs on the picture that `draw` puts into `to`; the outputs are copies, in the model's order. There is one place for
   * the picture: it is drawn and copied at once, so that whoever asks meanwhile cannot put another one there.
   */
  async run(draw: (to: Float32Array) => void): Promise<Float32Array[]> {
    draw(this.#input)
    const tensor = new Tensor(this.#input, this.#shape)
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
