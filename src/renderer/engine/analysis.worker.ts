/** @file An analysis worker: one set of models, shared by the job workers through ports. */
import type { AnalysisMethods } from './face/analysis-methods.ts'
import { Analyst } from './face/analyst.ts'
import { serve } from './common/rpc.ts'

const loading = Analyst.load(new URL('/models', location.origin).href)
// A failed load is reported by the first call.
loading
  .then((analyst) => analyst.warm())
  .then(() => {
    self.postMessage('warm')
  })
  .catch(() => undefined)

const methods: AnalysisMethods = {
  detect: async (...args) => (await loading).detect(...args),
  landmarks: async (...args) => (await loading).landmarks(...args),
  faces: async (...args) => (await loading).faces(...args),
  segment: async (...args) => (await loading).segment(...args),
}

self.onmessage = ({ data }: MessageEvent<MessagePort>) => {
  serve(data, methods)
}
