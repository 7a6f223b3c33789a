/** @file Sessions of ONNX Runtime, whichever build of it. */
import type { InferenceSession, Tensor } from 'onnxruntime-web/jspi'
import type { Session } from './sessions.ts'

/** The part of the runtime's module that is used. */
export interface Runtime {
  InferenceSession: {
    create: (model: Uint8Array, options: InferenceSession.SessionOptions) => Promise<InferenceSession>
  }
  Tensor: new (type: 'float32' | 'float16', data: Float32Array | Uint16Array, dims: readonly number[]) => Tensor
}

/** @param provider the execution provider's name */
export async function createSession(runtime: Runtime, model: Uint8Array, provider: string): Promise<Session> {
  const session = await runtime.InferenceSession.create(model, { executionProviders: [provider], logSeverityLevel: 3 })
  return {
    run: async (inputs, output) => {
      const feeds: Record<string, Tensor> = {}
      for (const { name, type, data, dims } of inputs) {
        const values = type === 'float16' ? new Uint16Array(Float16Array.from(data).buffer) : data
        feeds[name] = new runtime.Tensor(type, values, dims)
      }
      const result = (await session.run(feeds, [output]))[output]
      const values: unknown = result?.data
      result?.dispose()
      if (values instanceof Float32Array) return values
      if (values instanceof Float16Array) return Float32Array.from(values)
      if (values instanceof Uint16Array) return Float32Array.from(new Float16Array(values.slice().buffer))
      throw new Error('the model answers in another type')
    },
    release: () => session.release(),
  }
}
