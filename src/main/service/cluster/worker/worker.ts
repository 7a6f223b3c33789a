/** @file A worker: leases swaps from the queue and makes them, one at a time. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { WorkerId } from '../work-queue.ts'
import { LeasedSwap, type Ending, type LeasedSwapDeps } from './leased-swap.ts'
import { Nap } from './nap.ts'

export interface WorkerDeps extends Omit<LeasedSwapDeps, 'patienceMs'> {
  id: WorkerId
  /** A folder of this worker alone; its `swaps` is emptied at the start. */
  dir: string
  /** Defaults to two minutes. */
  patienceMs?: number
}

const usualPatienceMs = 120_000
/** How often the queue is asked while it is empty. */
const emptyMs = 1000
const fullDiskMs = 60_000
/** Delay of the next lease after a problem of this computer; each further one doubles it. */
const troubleMs = 1000
const maxTroubleMs = 60_000
/** Max time to wait for the end of the current swap. */
const disposeMs = 3000

export class Worker {
  readonly #deps: WorkerDeps
  readonly #swaps: string
  readonly #stop = new AbortController()
  #working: Promise<void> = Promise.resolve()
  readonly #nap = new Nap()

  constructor(deps: WorkerDeps) {
    this.#deps = deps
    this.#swaps = join(deps.dir, 'swaps')
  }

  start(): void {
    this.#working = this.#run()
  }

  /** There may be work. */
  kick(): void {
    this.#nap.wake()
  }

  /** Takes no more swaps. The current one is put back, with its work stored up to the last segment. */
  async drain(): Promise<void> {
    this.#stop.abort()
    await this.#working
  }

  /** As `drain`, within a few seconds. */
  async dispose(): Promise<void> {
    await Promise.race([this.drain(), wait(disposeMs, undefined, { ref: false })])
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    let troubles = 0
    while (!signal.aborted) {
      const ending = await this.#next().catch((error: unknown): Ending => {
        this.#deps.log('no swap could be leased', error)
        return 'unavailable'
      })
      const isTrouble = ending === 'unavailable' || ending === 'crashed'
      troubles = isTrouble ? troubles + 1 : 0
      if (isTrouble) await this.#pause(Math.min(troubleMs * 2 ** (troubles - 1), maxTroubleMs))
      else if (ending === 'disk-full') await this.#pause(fullDiskMs)
      else if (ending === 'empty') await this.#nap.take(emptyMs, signal)
    }
  }

  async #next(): Promise<Ending | 'empty'> {
    const { id, queue, patienceMs = usualPatienceMs } = this.#deps
    // Also what a process that was killed left there.
    await rm(this.#swaps, { recursive: true, force: true })
    const lease = await queue.claim(id)
    if (!lease) return 'empty'
    const { objectId } = lease.job
    this.#deps.log(`swap ${objectId}, lease ${lease.attempt}: begins`)
    const folder = join(this.#swaps, objectId)
    return new LeasedSwap({ ...this.#deps, patienceMs }, lease, folder, this.#stop.signal).run()
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined)
  }
}
