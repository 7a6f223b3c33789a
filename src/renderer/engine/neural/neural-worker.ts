/** @file The neural worker of a job worker. Its swapper stays loaded for a while, because swaps often follow each other. */
import { MienError } from '@shared/mien-error.ts'
import { Caller } from '../common/rpc.ts'
import type { NeuralMethods } from './neural-methods.ts'

const idleMs = 60_000

export class NeuralWorker {
  readonly caller: Caller<NeuralMethods>
  readonly #worker: Worker

  constructor() {
    this.#worker = new Worker(new URL('../neural.worker.ts', import.meta.url), { type: 'module' })
    this.caller = new Caller(this.port())
    this.#worker.onerror = (event) => {
      this.caller.fail(new MienError('model-failed', { reason: event.message }))
    }
  }

  /** Another connection. */
  port(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    this.#worker.postMessage(port1, [port1])
    return port2
  }

  end(): void {
    this.#worker.terminate()
  }
}

let shared: NeuralWorker | null = null
let ending: ReturnType<typeof setTimeout> | undefined
/** Number of swaps that use each swapper, by name. */
const users = new Map<string, number>()

/** Takes the shared worker for a swap with this swapper. Swappers that nobody uses are unloaded. */
export async function takeNeuralWorker(swapper: string): Promise<NeuralWorker> {
  clearTimeout(ending)
  shared ??= new NeuralWorker()
  users.set(swapper, (users.get(swapper) ?? 0) + 1)
  for (const [name, count] of users) {
    if (count > 0) continue
    users.delete(name)
    await shared.caller.call('close', [name])
  }
  return shared
}

/** @param done false if the swap failed or was cancelled: a run may be under way, or the runtime may be broken */
export function leaveNeuralWorker(swapper: string, done: boolean): void {
  users.set(swapper, (users.get(swapper) ?? 1) - 1)
  if ([...users.values()].some((count) => count > 0)) return
  const end = (): void => {
    shared?.end()
    shared = null
    users.clear()
  }
  if (done) ending = setTimeout(end, idleMs)
  else end()
}
