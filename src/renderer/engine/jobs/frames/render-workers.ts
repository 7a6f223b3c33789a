/** @file The render workers of one swap. Separate threads keep rendering from blocking decoder, models and encoder. */
import { workersOfEach } from '@shared/engine/benchmark.ts'
import { portsOf, type DrawnFace } from '../../render/open-source.ts'
import type { FrameToRender, RenderMethods, RenderSetup } from '../../render/render-methods.ts'
import { Caller } from '../../common/rpc.ts'

const workers = workersOfEach(navigator.hardwareConcurrency)
/** Frames in flight: one per worker and one queued. */
export const framesAtOnce = workers + 1
/** Workers of earlier swaps. Starting one, and compiling its code again, takes a quarter of a second of processor time. */
const idle: Worker[] = []

export class RenderWorkers {
  /** Total worker time in milliseconds, by stage. */
  readonly stages: Record<string, number> = {}
  readonly #workers: Worker[] = []
  readonly #caller: Caller<RenderMethods>
  #failed = false

  /** @param faces gives them to each worker */
  constructor(faces: () => DrawnFace[], setup: Omit<RenderSetup, 'port' | 'faces'>) {
    const open = (): MessagePort => {
      const worker = idle.pop() ?? new Worker(new URL('../../render.worker.ts', import.meta.url), { type: 'module' })
      const { port1, port2 } = new MessageChannel()
      worker.onerror = (event: ErrorEvent) => {
        this.#failed = true
        this.#caller.fail(new Error(`render worker: ${event.message}`))
      }
      const own = faces()
      worker.postMessage({ ...setup, port: port1, faces: own } satisfies RenderSetup, [port1, ...own.flatMap(portsOf)])
      this.#workers.push(worker)
      return port2
    }
    const others = Array.from({ length: workers - 1 }, open)
    this.#caller = new Caller(open(), ...others)
  }

  /** Transfers the frame's buffer to a worker. @returns the rendered frame's buffer */
  async render(frame: FrameToRender): Promise<ArrayBuffer> {
    const { buffer, stages } = await this.#caller.call('render', [frame], [frame.buffer])
    for (const [stage, ms] of stages.flatMap((each) => Object.entries(each)))
      this.stages[stage] = (this.stages[stage] ?? 0) + ms
    return buffer
  }

  /** Leaves the workers to the next swap. */
  close(): void {
    this.#caller.close()
    if (!this.#failed) idle.push(...this.#workers)
    else for (const worker of this.#workers) worker.terminate()
  }
}
