/**
 * @file What runs models. ONNX Runtime's build with JavaScript Promise Integration has two ways in one file, WebAssembly
 * and WebGPU. It also has WebNN, but takes 3 times as long and 3 times the memory of `webnn/`.
 */
import * as runtime from 'onnxruntime-web/jspi'
import loaderUrl from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.mjs?url'
import wasmUrl from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.wasm?url'
import { adapterName, softwareAdapter, type AdapterInfo } from './adapter.ts'
import { createSession } from './session.ts'
import { hasWebnn } from '../webnn/ml.ts'
import { createNativeSession } from '../webnn/session.ts'
import type { SessionPorts } from './sessions.ts'

/** The part of WebGPU that is used; TypeScript's library lacks it. */
interface Gpu {
  requestAdapter: (options: { powerPreference: 'high-performance' }) => Promise<{ info: AdapterInfo } | null>
}

const { wasm } = runtime.env
wasm.wasmPaths = { mjs: new URL(loaderUrl, location.origin).href, wasm: new URL(wasmUrl, location.origin).href }
// More threads than this gain little. Without cross-origin isolation the runtime uses one.
wasm.numThreads = Math.min(8, navigator.hardwareConcurrency)
runtime.env.logLevel = 'error'

export function limitThreads(count: number): void {
  wasm.numThreads = Math.min(wasm.numThreads ?? count, count)
}

/** Bytes of the runtime's memory, which never shrinks. */
export const memoryBytes = watchMemory()

export const create: SessionPorts['create'] = async (model, backend) => {
  if (backend !== 'webnn') return createSession(runtime, await model.all(), backend)
  const source = { size: await model.size(), read: model.read.bind(model) }
  return createNativeSession(source, wasm.numThreads ?? 1)
}

export const problemOf: SessionPorts['problemOf'] = async (backend) => {
  if (backend === 'webnn') return hasWebnn() ? null : 'absent'
  return backend === 'webgpu' ? (await adapter()).problem : null
}

/** The graphics chip: its name, '' if unknown, and why it can't be used. */
export async function adapter(): Promise<{ name: string; problem: 'absent' | 'software' | null }> {
  const { gpu } = navigator as { gpu?: Gpu }
  const found = await gpu?.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null)
  if (!found) return { name: '', problem: 'absent' }
  return { name: adapterName(found.info), problem: softwareAdapter(found.info) ? 'software' : null }
}

/** The runtime creates its shared memory itself and doesn't give it out. */
function watchMemory(): () => number {
  const memories: WebAssembly.Memory[] = []
  const { Memory } = WebAssembly
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor)
      memories.push(this)
    }
  }
  return () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
}
