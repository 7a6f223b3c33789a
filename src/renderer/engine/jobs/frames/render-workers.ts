/**
 * @file The render workers of a swap. Separate threads keep rendering from blocking decoder, models and encoder.
 */
import { workersOfEach } from '@shared/engine/benchmark.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { Caller } from '../../common/rpc.ts'
import type { ColorModel } from '../../media/pixels/planes.ts'
import {
  portsOf,
  type DrawnFace,
  type FrameToRender,
  type RenderMethods,
  type RenderSetup,
} from '../../render/face-renderer.ts'

const count = workersOfEach(navigator.hardwareConcurrency)
/** Frames in flight: one per worker and one queued. */
export const framesAtOnce = count + 1
/** Workers of earlier swaps. Starting one, and compiling its code again, takes a quarter of a second of processor time. */
const idle: Worker[] = []

export class RenderWorkers {
  /** Total worker time in milliseconds, by stage. */
  readonly stages: Record<string, number> = {}
  readonly #workers: Worker[]
  #caller: Caller<RenderMethods> | null = null
  #failure: Error | null = null
  #isClosed = false

  /** Starts them, so that they have loaded by the time the faces are prepared. */
  constructor(private readonly options: SwapOptions) {
    this.#workers = Array.from({ length: count }, () => {
      const worker = idle.pop() ?? new Worker(new URL('../../render.worker.ts', import.meta.url), { type: 'module' })
      worker.onerror = ({ message }: ErrorEvent) => {
        this.#failure = new Error(`render worker: ${message}`)
        this.#caller?.fail(this.#failure)
      }
      return worker
    })
  }

  /**
   * Call it once, before the first frame. Does nothing if they are closed.
   * @param faces gives what to draw over each track to a worker
   * @param color of the video
   */
  open(faces: () => DrawnFace[], color: ColorModel): void {
    if (this.#isClosed) return
    const ports = this.#workers.map((worker) => {
      const { port1, port2 } = new MessageChannel()
      const own = faces()
      const setup: RenderSetup = { port: port1, faces: own, color, options: this.options }
      worker.postMessage(setup, [port1, ...own.flatMap(portsOf)])
      return port2
    }) as [MessagePort, ...MessagePort[]] // there is at least one worker
    this.#caller = new Caller(...ports)
    if (this.#failure) this.#caller.fail(this.#failure)
  }

  /** Transfers the frame's buffer to a worker. @returns the rendered frame's buffer */
  async render(frame: FrameToRender): Promise<ArrayBuffer> {
    if (!this.#caller) throw new Error('the faces come first')
    const { buffer, stages } = await this.#caller.call('render', [frame], [frame.buffer])
    for (const [stage, ms] of stages.flatMap((each) => Object.entries(each)))
      this.stages[stage] = (this.stages[stage] ?? 0) + ms
    return buffer
  }

  /** Leaves the workers to the next swap. */
  close(): void {
    this.#isClosed = true
    this.#caller?.close()
    if (!this.#failure) idle.push(...this.#workers)
    else for (const worker of this.#workers) worker.terminate()
  }
}
