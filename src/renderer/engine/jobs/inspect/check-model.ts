/**
 * @file Checks a model before it is used: runs it on a fixed input, on the processor and on the graphics chip, and
 * compares both. Wrong results of WebGPU are known for some graphs and drivers.
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
  const worker = new NeuralWorker()
  try {
    const wasm = await tryOn('wasm', worker, model)
    const memoryBytes = await worker.caller.call('memory', [])
    await worker.caller.call('close', ['wasm'])
    const { name, problem } = await worker.caller.call('adapter', [])
    const webgpu = problem ? { ...untried, problem } : await tryOn('webgpu', worker, model)
    if (wasm.output && webgpu.problem === null && webgpu.output && areDifferent(model.spec, wasm.output, webgpu.output))
      webgpu.problem = 'different'
    return { wasm: toldOf(wasm), webgpu: toldOf(webgpu), memoryBytes, adapter: name }
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
    // On the processor it would be measured a second time.
    const { fellBack } = await caller.call('ranOn', [backend])
    if (fellBack) return { ...untried, problem: fellBack }
    return { ...trial, problem: problemOf(spec, trial.output) }
  } catch (error) {
    if (!(error instanceof MienError) || error.code !== 'model-failed') throw error
    const reason = String(error.details['reason'] ?? '')
    return { ...trial, problem: reason === notANumber ? 'not-a-number' : 'failed', reason }
  }
}
