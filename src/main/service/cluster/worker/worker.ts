/** @file A worker: leases swaps from the queue and makes them, one at a time. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { InFlight } from '@shared/in-flight.ts'
import type { WorkerId } from '../work-queue.ts'
import { LeasedSwap, type Ending, type LeasedSwapDeps } from './leased-swap.ts'
import { Nap } from './nap.ts'

export interface WorkerDeps extends Omit<LeasedSwapDeps, 'patienceMs' | 'later'> {
  id: WorkerId
  /** This worker's folder. Its subfolder `swaps` is emptied at the start. */
  dir: string
  /** Defaults to two minutes. */
  patienceMs?: number
  /** Delay of the next lease after a problem of this computer. Each further problem doubles it. Defaults to a second. */
  troubleMs?: number
}

const usualPatienceMs = 120_000
/** Polling interval while the queue is empty. The queue also announces new work. */
const emptyMs = 1000
const fullDiskMs = 60_000
const usualTroubleMs = 1000
const maxTroubleMs = 60_000
/** Max time to wait for the removal of a swap's leftovers. After that, a server removes them. */
const restMs = 2000
/** Max time to wait for the end of the current swap. */
const disposeMs = 3000

export class Worker {
  readonly #deps: WorkerDeps
  readonly #swaps: string
  readonly #stop = new AbortController()
  #working: Promise<void> = Promise.resolve()
  readonly #nap = new Nap()
  /** Removals from the storage that still run after a swap. */
  readonly #rest = new InFlight()

  constructor(deps: WorkerDeps) {
    this.#deps = deps
    this.#swaps = join(deps.dir, 'swaps')
  }

  start(): void {
    this.#working = this.#run()
  }

  /** Takes no more swaps. Stores the current swap's work up to the last segment and returns it to the queue. */
  async drain(): Promise<void> {
    this.#stop.abort()
    await this.#working
  }

  /** Like `drain`, but takes at most a few seconds. */
  async dispose(): Promise<void> {
    await Promise.race([this.drain(), wait(disposeMs, undefined, { ref: false })])
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    const { troubleMs = usualTroubleMs } = this.#deps
    const ignore = this.#deps.queue.onWork(() => {
      this.#nap.wake()
    })
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
    ignore()
    await this.#rest.settled(restMs)
  }

  async #next(): Promise<Ending | 'empty'> {
    const { id, queue, patienceMs = usualPatienceMs } = this.#deps
    // This also removes the leftovers of a killed process.
    await rm(this.#swaps, { recursive: true, force: true })
    const lease = await queue.claim(id)
    if (!lease) return 'empty'
    const { objectId } = lease.job
    this.#deps.log(`swap ${objectId}, lease ${lease.attempt}: begins`)
    const folder = join(this.#swaps, objectId)
    const later = (work: Promise<void>): void => void this.#rest.add(work)
    return new LeasedSwap({ ...this.#deps, patienceMs, later }, lease, folder, this.#stop.signal).run()
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined)
  }
}
