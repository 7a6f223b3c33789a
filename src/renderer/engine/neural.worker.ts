/** @file The neural worker: runs ONNX models, for all workers that have a port. */
import { fetchBytes } from './common/fetch-bytes.ts'
import { serve } from './common/rpc.ts'
import { VersionedFile } from './media/versioned-file.ts'
import type { NeuralMethods } from './neural/neural-methods.ts'
import { adapter, create, limitThreads, memoryBytes, problemOf } from './neural/runtime.ts'
import { Sessions, type ModelFile } from './neural/sessions.ts'

/** Mien's own models can't change while Mien runs, and `app:` has no ranges. */
function file(url: string): ModelFile {
  if (!url.startsWith('app:')) return new VersionedFile(url, new AbortController().signal)
  const bytes = fetchBytes(url)
  return {
    all: () => bytes,
    size: async () => (await bytes).length,
    read: async (start, end) => (await bytes).subarray(start, end),
  }
}
const sessions = new Sessions({ file, create, problemOf })

const methods: { [K in keyof NeuralMethods]: (...args: Parameters<NeuralMethods[K]>) => unknown } = {
  open: (name, model) => sessions.open(name, model),
  run: (name, inputs, output) => sessions.run(name, inputs, output),
  ranOn: (name) => sessions.ranOn(name),
  close: (name) => sessions.close(name),
  limitThreads,
  adapter,
  memory: memoryBytes,
}

self.onmessage = ({ data }: MessageEvent<MessagePort>) => {
  serve(data, methods, (value) =>
    value instanceof Float32Array && value.buffer instanceof ArrayBuffer ? [value.buffer] : [],
  )
}
