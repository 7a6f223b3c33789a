/**
 * @file Checks a model before it is used: runs it on a fixed input, on each backend, and compares them with wasm. Wrong
 * results of WebGPU are known for some graphs and drivers.
 */
import type { Backend, ModelCheck, ModelTrial } from '@shared/engine/engine.ts'
import { MienError } from '@shared/mien-error.ts'
import { notANumber } from '../../neural/sessions.ts'
import { areDifferent, probeInputs, problemOf } from '../../neural/probe-model.ts'
import type { RequestOf } from '../job-context.ts'
import { NeuralWorker } from '../../neural/neural-worker.ts'

/** Runs per backend after the first one, at most, and the time after which no more begin. */
const runs = { max: 3, ms: 3000 }

type Model = RequestOf<'check-model'>['model']

interface Trial extends ModelTrial {
  output: Float32Array | null
}

export async function checkModel({ model }: RequestOf<'check-model'>): Promise<ModelCheck> {
  const [wasm, memoryBytes] = await inWorker(async (worker) => {
    const trial = await tryOn('wasm', worker, model)
    return [trial, await worker.caller.call('memory', [])] as const
  })
  // In a worker of its own, because the memory of wasm never shrinks.
  return inWorker(async (worker) => {
    const compared = async (backend: Backend): Promise<ModelTrial> => {
      const trial = await tryOn(backend, worker, model)
      await worker.caller.call('close', [backend])
      const { output } = trial
      const isDifferent =
        trial.problem === null && wasm.output && output && areDifferent(model.spec, wasm.output, output)
      return toldOf(isDifferent ? { ...trial, problem: 'different' } : trial)
    }
    const { name, problem } = await worker.caller.call('adapter', [])
    return {
      wasm: toldOf(wasm),
      webnn: await compared('webnn'),
      webgpu: problem ? toldOf({ ...untried, problem }) : await compared('webgpu'),
      ...{ memoryBytes, adapter: name },
    }
  })
}

async function inWorker<T>(work: (worker: NeuralWorker) => Promise<T>): Promise<T> {
  const worker = new NeuralWorker()
  try {
    return await work(worker)
  } finally {
    worker.end()
  }
}

const untried: Trial = { problem: null, reason: null, loadMs: null, runMs: null, output: null }

const toldOf = ({ problem, reason, loadMs, runMs }: Trial): ModelTrial => ({ problem, reason, loadMs, runMs })

async function tryOn(backend: Backend, { caller }: NeuralWorker, { url, spec }: Model): Promise<Trial> {
  const trial: Trial = { ...untried }
  const inputs = probeInputs(spec)
  try {
    const began = performance.now()
    await caller.call('open', [backend, { url, backend }])
    trial.loadMs = performance.now() - began
    trial.output = await caller.call('run', [backend, inputs, spec.output.name])
    const times: number[] = []
    const warm = performance.now()
    while (times.length === 0 || (times.length < runs.max && performance.now() - warm < runs.ms)) {
      const mark = performance.now()
      await caller.call('run', [backend, inputs, spec.output.name])
      times.push(performance.now() - mark)
    }
    trial.runMs = Math.min(...times)
    // Another backend would be measured.
    const { fellBack } = await caller.call('ranOn', [backend])
    if (fellBack) return { ...untried, problem: fellBack }
    return { ...trial, problem: problemOf(spec, trial.output) }
  } catch (error) {
    if (!(error instanceof MienError) || error.code !== 'model-failed') throw error
    const reason = String(error.details['reason'] ?? '')
    return { ...trial, problem: reason === notANumber ? 'not-a-number' : 'failed', reason }
  }
}
