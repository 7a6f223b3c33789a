/** @file An analysis worker: one set of models, shared by the job workers through ports. */
import { type AnalysisMethods, Analyst } from './face/analyst.ts'
import { serve } from './common/rpc.ts'

let isAsked = false
const loading = Analyst.load(new URL('/models', location.origin).href, () => {
  self.postMessage('native')
})
// A failed load is reported by the first call.
loading
  .then((analyst) => analyst.warm(() => isAsked))
  .then(() => {
    self.postMessage('warm')
  })
  .catch(() => undefined)

const loaded = (): Promise<Analyst> => {
  isAsked = true
  return loading
}

const methods: AnalysisMethods = {
  detect: async (...args) => (await loaded()).detect(...args),
  landmarks: async (...args) => (await loaded()).landmarks(...args),
  faces: async (...args) => (await loaded()).faces(...args),
  segment: async (...args) => (await loaded()).segment(...args),
}

self.onmessage = ({ data }: MessageEvent<MessagePort>) => {
  serve(data, methods)
}
