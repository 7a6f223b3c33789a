/** @file The engine window and the requests that wait for it: starts it, watches it, replaces it after a crash. */
import { randomUUID } from 'node:crypto'
import { extname } from 'node:path'
import type { Session } from 'electron'
import type { EngineEvent, EngineProgress, EngineRequest } from '@shared/engine/engine.ts'
import { MienError, type ErrorCode } from '@shared/errors.ts'
import type { PeopleScan } from '@shared/people/people.ts'
import { checkReadable } from '../../machine/disk/disk-errors.ts'
import {
  createEngineSession,
  EngineWindow,
  type EngineFiles,
  type EngineGrants,
  type EngineWindowEvents,
} from './engine-window.ts'
import { InactivityTimeout } from './inactivity-timeout.ts'

const startTimeoutMs = 20_000

export interface EngineHostDeps extends EngineFiles {
  /** Log lines; never contain paths. */
  log?: (line: string) => void
  /** Called when a request begins, with its signal. What it returns is called when the request has ended. */
  onRequest?: (kind: EngineRequest['kind'], signal: AbortSignal | undefined) => () => void
}

type ResultEvent = Extract<EngineEvent, { result: unknown }>
type Results = { [E in ResultEvent as E['type']]: E['result'] }
export type ResultType = keyof Results
/** What an event of a type says. */
export type ResultOf<T extends ResultType> = Results[T]
/** The URL of a file that the engine may read for this request. */
export type UrlOf = (path: string) => string
/** @param folder URL of the folder for the job's files */
export type MakeRequest = (
  url: UrlOf,
  folder: string,
) => EngineRequest extends infer R ? (R extends EngineRequest ? Omit<R, 'id'> : never) : never

export interface RequestOptions {
  signal?: AbortSignal | undefined
  inactivityMs: number
  /** Code of the error if the engine is silent for so long. */
  onInactive: ErrorCode
  onProgress?: ((progress: EngineProgress) => void) | undefined
  onPeople?: ((scan: PeopleScan) => void) | undefined
}

interface Pending {
  inactivity: InactivityTimeout
  settle: (event: EngineEvent) => void
  fail: (error: MienError) => void
}

interface Running {
  window: EngineWindow
  /** It failed unexpectedly; replaced once no request is pending. */
  suspect: boolean
  /** True once its models are loaded. */
  warm: boolean
  /** Timeout for the window to become ready. */
  starting: InactivityTimeout
  ready: Promise<void>
  markReady: () => void
  fail: (error: MienError) => void
}

/**
 * Owns the hidden engine window: created on first use, kept warm, replaced after a crash. Requests may overlap. Every
 * rejection is a `MienError`.
 */
export abstract class EngineRequests {
  readonly #grants: EngineGrants = { items: new Map(), folders: new Map() }
  readonly #pending = new Map<string, Pending>()
  #session: Session | null = null
  #running: Running | null = null
  #disposed = false

  constructor(private readonly deps: EngineHostDeps) {}

  /** Starts the window ahead of the first request. */
  warm(): void {
    // A failed start is reported by the next request.
    this.#start().ready.catch(() => undefined)
  }

  /**
   * Sends a request with URLs in the place of paths, and waits for its answer.
   * @param dir where the job's files are written; null: nowhere
   */
  protected async ask<T extends ResultType>(
    type: T,
    dir: string | null,
    request: MakeRequest,
    options: RequestOptions,
  ): Promise<ResultOf<T>> {
    if (options.signal?.aborted) throw new MienError('cancelled')
    const id = randomUUID()
    const token = randomUUID()
    /** By path. */
    const items = new Map<string, string>()
    const url = (path: string): string => {
      // Keep the extension, which determines the content type; the rest of the name isn't exposed.
      const item = items.get(path) ?? `${randomUUID()}${/^\.\w{1,5}$/.exec(extname(path))?.[0] ?? ''}`
      items.set(path, item)
      return `media://item/${item}`
    }
    const body = { ...request(url, `media://job/${token}`), id }
    let inactivity: InactivityTimeout | undefined
    let onAbort: (() => void) | undefined
    const ended = this.deps.onRequest?.(body.kind, options.signal)
    try {
      for (const path of items.keys()) await checkReadable(path)
      for (const [path, item] of items) this.#grants.items.set(item, path)
      if (dir !== null) this.#grants.folders.set(token, dir)
      return await new Promise<ResultOf<T>>((resolve, reject) => {
        const fail = (error: MienError, cancelInWindow = false): void => {
          if (cancelInWindow) this.#running?.window.cancel(id)
          reject(error)
        }
        const isWarm = (): boolean => this.#running?.warm === true
        const own = new InactivityTimeout(options.inactivityMs, isWarm, () => {
          const error = new MienError(options.onInactive, { reason: 'no answer in time' })
          this.deps.log?.(`the engine gave no answer in time: ${type}`)
          if (this.#running) this.#running.suspect = true
          if (error.code === 'engine-crashed') this.#throwAway(error)
          else fail(error, true)
        })
        inactivity = own
        onAbort = () => {
          fail(new MienError('cancelled'), true)
        }
        options.signal?.addEventListener('abort', onAbort)
        if (options.signal?.aborted) {
          // Aborted while the files were checked.
          onAbort()
          return
        }
        this.#pending.set(id, {
          fail,
          inactivity: own,
          settle: (event) => {
            if (event.type === 'progress') {
              own.begin()
              options.onProgress?.(event.progress)
            } else if (event.type === 'people') {
              own.begin()
              options.onPeople?.(event.scan)
            } else if (event.type === 'failed') {
              if (event.error.code === 'engine-failed' && this.#running) this.#running.suspect = true
              reject(new MienError(event.error.code, event.error.details))
            } else if (event.type === type) {
              // Safe: the type was just compared; TypeScript doesn't narrow a union by a generic.
              resolve(event.result as ResultOf<T>)
            }
          },
        })
        const running = this.#start()
        running.ready.then(
          () => {
            if (options.signal?.aborted) return
            own.begin()
            running.window.send(body)
          },
          (error: unknown) => {
            reject(error instanceof MienError ? error : new MienError('engine-failed', {}, { cause: error }))
          },
        )
      })
    } finally {
      inactivity?.stop()
      if (onAbort) options.signal?.removeEventListener('abort', onAbort)
      this.#pending.delete(id)
      this.#grants.folders.delete(token)
      for (const item of items.values()) this.#grants.items.delete(item)
      if (this.#running?.suspect && this.#pending.size === 0) this.#throwAway(new MienError('engine-failed'))
      ended?.()
    }
  }

  /** Restarts all timeouts after sleep. */
  resumed(): void {
    for (const { inactivity } of this.#pending.values()) inactivity.restart()
    this.#running?.starting.restart()
  }

  /** Closes the window to free its memory, unless requests are pending. */
  rest(): void {
    if (this.#pending.size === 0) this.#throwAway(new MienError('engine-failed'))
  }

  /** Closes the window; pending requests reject with `cancelled`. */
  dispose(): void {
    this.#disposed = true
    this.#throwAway(new MienError('cancelled'))
  }

  #start(): Running {
    if (this.#disposed) throw new MienError('cancelled')
    if (this.#running) return this.#running
    const { promise: ready, resolve: markReady, reject: fail } = Promise.withResolvers<undefined>()
    this.#session ??= createEngineSession(this.deps, this.#grants)
    const events: EngineWindowEvents = {
      log: (line) => this.deps.log?.(line),
      onGone: (reason) => {
        if (this.#running !== running) return
        this.deps.log?.(`the engine window is gone: ${reason}`)
        this.#throwAway(new MienError('engine-crashed', { reason }))
      },
      onEvent: (event) => {
        if (this.#running !== running) return
        if (event.type === 'ready') running.markReady()
        else if (event.type === 'warm') this.#warmed(running)
        else this.#pending.get(event.id)?.settle(event)
      },
    }
    const starting = new InactivityTimeout(
      startTimeoutMs,
      () => true,
      () => {
        events.onGone('did not start')
      },
    )
    const running: Running = {
      ...{ suspect: false, warm: false, starting },
      window: new EngineWindow(this.#session, this.deps.preload, events),
      ready: ready.finally(() => {
        starting.stop()
      }),
      markReady: () => {
        markReady(undefined)
      },
      fail,
    }
    // Avoids an unhandled rejection if nothing awaits it yet.
    running.ready.catch(() => undefined)
    starting.begin()
    this.#running = running
    return running
  }

  /** Models are loaded: restart the timeouts of pending requests. */
  #warmed(running: Running): void {
    running.warm = true
    for (const { inactivity } of this.#pending.values()) inactivity.begin()
  }

  #throwAway(error: MienError): void {
    const running = this.#running
    this.#running = null
    running?.fail(error)
    running?.window.destroy()
    for (const pending of [...this.#pending.values()]) pending.fail(error)
  }
}
