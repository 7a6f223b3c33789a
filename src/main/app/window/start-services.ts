/** @file Starts the embedded service and retries with backoff. */
import { toErrorBody } from '@shared/errors.ts'
import type { Logger } from '../../machine/log/log.ts'
import type { Notices } from '../notices.ts'

const firstRetryMs = 2000
const maxRetryMs = 60_000
const id = 'service'

export interface ServiceStartDeps {
  start: () => Promise<void>
  notices: Notices
  log: Logger
}

export class ServiceStart {
  private readonly whenStarted: () => void
  /** Resolves when a start has succeeded. */
  readonly started: Promise<void>
  private attempt: Promise<void> | null = null
  private timer: NodeJS.Timeout | undefined
  private retryMs = firstRetryMs
  private done = false

  constructor(private readonly deps: ServiceStartDeps) {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.started = promise
    this.whenStarted = () => resolve(undefined)
  }

  /** Tries now. Resolves after the attempt, successful or not. */
  try(): Promise<void> {
    if (this.done) return Promise.resolve()
    clearTimeout(this.timer)
    this.attempt ??= this.run().finally(() => {
      this.attempt = null
    })
    return this.attempt
  }

  dispose(): void {
    this.done = true
    clearTimeout(this.timer)
  }

  private async run(): Promise<void> {
    const { start, notices, log } = this.deps
    try {
      await start()
      this.dispose()
      notices.remove(id)
      this.whenStarted()
    } catch (error) {
      log.warn('Starting the embedded service failed', error)
      const body = toErrorBody(error)
      notices.add({ id, kind: 'service-failed', error: body })
      // A retry can't help: only a newer Mien can open its data.
      if (!this.done && body.code !== 'data-newer') this.retryLater()
    }
  }

  private retryLater(): void {
    this.timer = setTimeout(() => void this.try(), this.retryMs)
    this.retryMs = Math.min(this.retryMs * 2, maxRetryMs)
  }
}
