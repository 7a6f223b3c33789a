/** @file Starts the embedded service and retries with backoff. */
import { toErrorBody } from '@shared/errors.ts'
import type { Logger } from '../../machine/log/log.ts'
import type { Notices } from '../notices.ts'

const firstRetryMs = 2000
const maxRetryMs = 60_000
const id = 'service'

export class ServiceStart {
  private readonly success = Promise.withResolvers<undefined>()
  /** Resolves when a start has succeeded. */
  readonly started: Promise<void> = this.success.promise
  private attempt: Promise<void> | null = null
  private timer: NodeJS.Timeout | undefined
  private retryMs = firstRetryMs
  private done = false

  constructor(
    private readonly start: () => Promise<void>,
    private readonly notices: Notices,
    private readonly log: Logger,
  ) {}

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
    try {
      await this.start()
      this.dispose()
      this.notices.remove(id)
      this.success.resolve(undefined)
    } catch (error) {
      this.log.warn('Starting the embedded service failed', error)
      const body = toErrorBody(error)
      this.notices.add({ id, kind: 'service-failed', error: body })
      // A retry can't help: only a newer Mien can open its data.
      if (!this.done && body.code !== 'data-newer') this.retryLater()
    }
  }

  private retryLater(): void {
    this.timer = setTimeout(() => void this.try(), this.retryMs)
    this.retryMs = Math.min(this.retryMs * 2, maxRetryMs)
  }
}
