/**
 * @file The engine window's page: passes requests to workers and their events back. Inspections have a separate worker,
 * so that a broken file can't block a swap. Probes and checks of models have their own workers, which end with them.
 */
import { workersOfEach } from '@shared/engine/benchmark.ts'
import { engineRequestSchema, type EngineEvent, type EngineRequest } from '@shared/engine/engine.ts'
import type { EngineBridge } from '../../preload/engine-bridge.ts'
import type { WorkerMessage } from './job.worker.ts'

declare global {
  interface Window {
    readonly engine: EngineBridge
  }
}

/** Time for a worker to end a cancelled job before it is terminated. */
const cancelGraceMs = 900

/** Lanes whose worker ends with its job. */
const passing: readonly Lane[] = ['probe', 'check-model']

type Lane = 'inspect' | 'swap' | 'scan-people' | 'probe' | 'check-model'

interface JobWorker {
  worker: Worker
  ids: Set<string>
}

const newAnalysis = (): Worker => {
  const worker = new Worker(new URL('./analysis.worker.ts', import.meta.url), { type: 'module' })
  worker.onerror = (event) => {
    console.error(`analysis worker: ${event.message}`)
  }
  worker.onmessage = ({ data }: MessageEvent<'warm' | 'native'>) => {
    if (data === 'native') {
      console.warn('landmarks are found natively')
      return
    }
    window.engine.emit({ type: 'warm' })
    // A swap that comes first needs the processor.
    if ([...lanes.values()].every(({ ids }) => ids.size === 0)) open('inspect')
  }
  return worker
}

const analysis: [Worker, ...Worker[]] = [newAnalysis()]
while (analysis.length < workersOfEach(navigator.hardwareConcurrency)) analysis.push(newAnalysis())
const lanes = new Map<Lane, JobWorker>()

function laneOf({ kind }: EngineRequest): Lane {
  switch (kind) {
    case 'inspect-face':
    case 'face-views':
    case 'inspect-video':
    case 'extract-frame':
    case 'picture-face':
      return 'inspect'
    case 're-render':
      return 'swap'
    default:
      return kind
  }
}

function open(lane: Lane): JobWorker {
  const known = lanes.get(lane)
  if (known) return known
  const worker = new Worker(new URL('./job.worker.ts', import.meta.url), { type: 'module' })
  const ports = analysis.map((analyst) => {
    const { port1, port2 } = new MessageChannel()
    analyst.postMessage(port1, [port1])
    return port2
  }) as [MessagePort, ...MessagePort[]] // one per analysis worker, so not empty
  worker.postMessage({ type: 'analyst', ports } satisfies WorkerMessage, ports)
  const job: JobWorker = { worker, ids: new Set() }
  worker.onmessage = ({ data }: MessageEvent<EngineEvent>) => {
    if (data.type !== 'ready' && data.type !== 'warm' && data.type !== 'progress' && data.type !== 'people')
      job.ids.delete(data.id)
    window.engine.emit(data)
    // Terminating the worker also ends an encoder that hangs.
    if (passing.includes(lane) && job.ids.size === 0) end(lane, job)
  }
  worker.onerror = (event) => {
    console.error(`worker: ${event.message}`)
    end(lane, job)
  }
  lanes.set(lane, job)
  return job
}

/** Terminates a worker and reports its jobs as failed. */
function end(lane: Lane, job: JobWorker): void {
  job.worker.terminate()
  if (lanes.get(lane) === job) lanes.delete(lane)
  for (const id of job.ids) window.engine.emit({ type: 'failed', id, error: { code: 'engine-failed', details: {} } })
  job.ids.clear()
}

window.engine.onRequest((body) => {
  const request = engineRequestSchema.parse(body)
  const job = open(laneOf(request))
  job.ids.add(request.id)
  job.worker.postMessage({ type: 'run', request } satisfies WorkerMessage)
  // The user is likely to swap this face next, so prepare it.
  if (request.kind === 'inspect-face') {
    open('swap').worker.postMessage({ type: 'prepare', source: request.source } satisfies WorkerMessage)
  }
})

window.engine.onCancel((id) => {
  for (const [lane, job] of lanes) {
    if (typeof id !== 'string' || !job.ids.has(id)) continue
    job.worker.postMessage({ type: 'cancel', id } satisfies WorkerMessage)
    setTimeout(
      () => {
        if (job.ids.has(id)) end(lane, job)
      },
      passing.includes(lane) ? 0 : cancelGraceMs,
    )
  }
})

// Start the worker before the first request.
open('swap')
window.engine.emit({ type: 'ready' })
