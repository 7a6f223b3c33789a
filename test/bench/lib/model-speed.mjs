/**
 * @file How fast a swap model of inswapper's size runs in the engine, compared with onnxruntime-node on the same cores.
 */
import { availableParallelism } from 'node:os'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { probeInputs } from '../../../src/renderer/engine/neural/probe-model.ts'
import { swapperSpec } from '../../fixtures/model-specs.ts'
import { say } from './harness.mjs'

/**
 * Milliseconds of a run, the shortest of several, in the engine and in onnxruntime-node alternately.
 * @param {(step: object) => Promise<any>} run a step of engine-main.ts
 * @param {string} path of the model
 */
export async function measureModel(run, path, rounds = 3) {
  const spec = swapperSpec('inswapper')
  const cores = Math.min(8, availableParallelism())
  const options = { intraOpNumThreads: cores, logSeverityLevel: /** @type {const} */ (3) }
  let [wasmMs, nativeMs, nodeMs] = [Infinity, Infinity, Infinity]
  /** @type {any} */
  let check
  for (let round = 0; round < rounds; round += 1) {
    check = (await run({ kind: 'check', model: { path, spec } })).result
    wasmMs = Math.min(wasmMs, check.wasm.runMs ?? NaN)
    nativeMs = Math.min(nativeMs, check.webnn.runMs ?? Infinity)
    const session = await InferenceSession.create(path, options)
    const feeds = Object.fromEntries(
      probeInputs(spec).map(({ name, data, dims }) => [name, new Tensor('float32', data, dims)]),
    )
    for (let turn = 0; turn < 4; turn += 1) {
      const began = performance.now()
      await session.run(feeds)
      nodeMs = Math.min(nodeMs, performance.now() - began)
    }
    await session.release()
    const [wasm, native, node] = [wasmMs, nativeMs, nodeMs].map(Math.round)
    say(`model: ${wasm} ms a run in WebAssembly, ${native} natively, ${node} in onnxruntime-node`)
  }
  const { wasm, webnn, webgpu, memoryBytes, adapter } = check
  return {
    cores,
    wasmMs: Math.round(wasmMs),
    nodeMs: Math.round(nodeMs),
    ratio: Number((wasmMs / nodeMs).toFixed(2)),
    problem: wasm.problem,
    loadMs: Math.round(wasm.loadMs),
    native: webnn.problem ?? {
      ms: Math.round(nativeMs),
      ratio: Number((nativeMs / nodeMs).toFixed(2)),
      loadMs: Math.round(webnn.loadMs),
    },
    memoryMB: Math.round(memoryBytes / 1e6),
    // Where there is no graphics chip this says so.
    webgpu: webgpu.problem ?? Math.round(webgpu.runMs),
    adapter,
  }
}
