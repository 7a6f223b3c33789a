/** @file A worker: leases swaps from the queue and makes them, one at a time. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { privateMode } from '../../../machine/disk/data-folder.ts'
import type { WorkerId } from '../work-queue.ts'
import { LeasedSwap, type Ending, type LeasedSwapDeps } from './leased-swap.ts'
import { Nap, wait } from './retry.ts'

/** What `WorkerDeps` needn't name. */
const usual = {
  ...{ failsAlways: false, patienceMs: 120_000, beatMs: 1000, previewMs: 2000 },
  /** Delay of the next lease after a problem of this computer. Each further problem doubles it. */
  troubleMs: 1000,
  /** Polling interval while the queue is empty. The queue also announces new work. */
  emptyMs: 1000,
}

export interface WorkerDeps extends Omit<LeasedSwapDeps, keyof typeof usual>, Partial<typeof usual> {
  id: WorkerId
  /** This worker's folder for swaps. Nothing else may be in it. */
  dir: string
}

const fullDiskMs = 60_000
const maxTroubleMs = 60_000
/** As `retryUnavailable`: swaps that wait for the database begin soon after it is back. */
const maxUnavailableMs = 5000
/** Max time to wait for the end of the current swap. */
const disposeMs = 3000

export class Worker {
  readonly #stop = new AbortController()
  #working: Promise<void> = Promise.resolve()
  #nap = new Nap()
  /** The swap that found the disk full: only its user ends the wait, who makes space and resumes it. Null: it isn't full. */
  #full: string | null = null
  private readonly deps: WorkerDeps & typeof usual

  constructor(deps: WorkerDeps) {
    this.deps = { ...usual, ...deps }
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
    await Promise.race([this.drain(), delay(disposeMs, undefined, { ref: false })])
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    const { queue, troubleMs, emptyMs, failsAlways } = this.deps
    const ignore = queue.onWork((objectId) => {
      if (this.#full === null || this.#full === objectId) this.#nap.wake()
    })
    if (failsAlways) {
      // The wait for space goes on after a restart. Otherwise the next swap would overtake the one that waits.
      this.#full = await queue.foundDiskFull(fullDiskMs).catch(() => null)
      if (this.#full !== null) await this.#nap.take(fullDiskMs, signal)
    }
    let troubles = 0
    while (!signal.aborted) {
      const ending = await this.#next().catch((error: unknown): Ending => {
        this.deps.log('no swap could be leased', error)
        return 'unavailable'
      })
      const isTrouble = ending === 'unavailable' || ending === 'crashed'
      troubles = isTrouble ? troubles + 1 : 0
      const maxMs = ending === 'crashed' ? maxTroubleMs : maxUnavailableMs
      if (isTrouble) await wait(Math.min(troubleMs * 2 ** (troubles - 1), maxMs), signal)
      else if (ending === 'disk-full') await this.#nap.take(fullDiskMs, signal)
      else if (ending === 'empty') await this.#nap.take(emptyMs, signal)
    }
    ignore()
    await this.#tidy().catch((error: unknown) => {
      this.deps.log('folders of swaps could not be removed', error)
    })
  }

  async #next(): Promise<Ending | 'empty'> {
    const { id, queue, failsAlways } = this.deps
    this.#full = null
    await this.#tidy()
    const lease = await queue.claim(id)
    if (!lease) return 'empty'
    const { objectId } = lease.job
    this.deps.log(`swap ${objectId}, lease ${lease.attempt}: begins`)
    const folder = join(this.deps.dir, objectId)
    const ending = await new LeasedSwap(this.deps, lease, folder, this.#stop.signal).run()
    if (ending === 'disk-full') {
      this.#full = failsAlways ? objectId : ''
      this.#nap = new Nap()
    }
    return ending
  }

  /** Removes folders of swaps that this worker won't continue, and takes up what a killed process left. */
  async #tidy(): Promise<void> {
    const { dir, queue } = this.deps
    if (!queue.isShared) await queue.queueInterrupted()
    await mkdir(dir, { recursive: true, mode: privateMode })
    const names = await readdir(dir)
    const kept = queue.isShared || names.length === 0 ? new Set() : await queue.unfinished(names)
    for (const name of names) if (!kept.has(name)) await rm(join(dir, name), { recursive: true, force: true })
  }
}
