/** @file Main process side of the engine: takes requests by path, returns results or typed errors. */
import { randomUUID } from 'node:crypto'
import { extname } from 'node:path'
import type { Session } from 'electron'
import type {
  Cast,
  Encoder,
  EngineEvent,
  EngineProgress,
  EngineRequest,
  FaceInspection,
  ModelCheck,
  ModelMethod,
  ProbeResult,
  ReRenderResult,
  SwapResult,
  VideoInspection,
} from '@shared/engine/engine.ts'
import { MienError, type ErrorCode } from '@shared/errors.ts'
import type { ModelSpec } from '@shared/engine/models.ts'
import type { Clip, PeopleScan, Place, Range, VideoPart } from '@shared/people/people.ts'
import { defaultOptions, type SwapOptions } from '@shared/options/swap-options.ts'
import { checkReadable } from '../media/file-failure.ts'
import {
  createEngineSession,
  EngineWindow,
  type EngineFiles,
  type EngineGrants,
  type EngineWindowEvents,
} from './engine-window.ts'
import { InactivityTimeout } from './inactivity-timeout.ts'

const inspectionTimeoutMs = 30_000
const swapInactivityMs = 60_000
/** A large model takes seconds per frame, and several times that while the computer is busy. */
const modelInactivityMs = 240_000
const scanInactivityMs = 60_000
const probeTimeoutMs = 30_000
const startTimeoutMs = 20_000

export interface EngineHostDeps extends EngineFiles {
  /** Log lines; never contain paths. */
  log?: (line: string) => void
}

/** A face, and whom it replaces. */
export interface CastFiles extends Pick<Cast, 'clips'> {
  /** Absolute paths of pictures of one person. */
  pictures: readonly string[]
}

export interface SwapInput {
  cast: readonly CastFiles[]
  /** Clips of people who keep their face. */
  stay?: Clip[]
  /** Absolute path. */
  video: string
  /** Null or absent: the whole video. */
  range?: Range | null
  options?: SwapOptions
  /** Absent: no proof (see `engineRequestSchema`). */
  proofOf?: { range: Range | null }
  /** See `engineRequestSchema`. */
  aigc?: AigcFields
  /** An existing folder for the job's files (see `engineRequestSchema`). */
  dir: string
  /** Defaults to software. */
  encoder?: Encoder
  /** Null or absent for the built-in method. */
  method?: MethodFiles | null
  onProgress?: (progress: EngineProgress) => void
  signal?: AbortSignal | undefined
}

/** Metadata of the label `china`; null: empty. */
export type AigcFields = Extract<EngineRequest, { kind: 'swap' }>['aigc']

export interface ReRenderInput extends SwapInput {
  /** Absolute path of the swap's file. */
  result: string
  part: VideoPart
}

/** A swap by a model, with paths instead of URLs. */
export interface MethodFiles extends Pick<ModelMethod, 'strength' | 'backend'> {
  swapper: PathOf<ModelMethod['swapper']>
  recogniser: PathOf<NonNullable<ModelMethod['recogniser']>> | null
  converter: PathOf<NonNullable<ModelMethod['converter']>> | null
}
type PathOf<F extends { spec: unknown }> = Omit<F, 'url'> & { path: string }

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

type ResultEvent = Extract<EngineEvent, { result: unknown }>
type SwapAddition =
  | Pick<Extract<EngineRequest, { kind: 'swap' }>, 'kind' | 'proofOf' | 'aigc'>
  | Pick<Extract<EngineRequest, { kind: 're-render' }>, 'kind' | 'result' | 'part'>
type RequestBody = EngineRequest extends infer R ? (R extends EngineRequest ? Omit<R, 'id'> : never) : never

/**
 * Owns the hidden engine window: created on first use, kept warm, replaced after a crash. Requests may overlap. Every
 * rejection is a `MienError`.
 */
export class EngineHost {
  readonly #deps: EngineHostDeps
  readonly #grants: EngineGrants = { items: new Map(), folders: new Map() }
  readonly #pending = new Map<string, Pending>()
  #session: Session | null = null
  #running: Running | null = null
  #disposed = false

  constructor(deps: EngineHostDeps) {
    this.#deps = deps
  }

  /** Starts the window ahead of the first request. */
  warm(): void {
    // A failed start is reported by the next request.
    this.#start().ready.catch(() => undefined)
  }

  /** @param like path of a picture of the person that the face has to be */
  async inspectFace(path: string, dir: string, signal?: AbortSignal, like?: string): Promise<FaceInspection> {
    const event = await this.#ask(
      'face-inspected',
      like === undefined ? [path] : [path, like],
      dir,
      ([source = '', first = null], folder) => ({ kind: 'inspect-face', source, folder, like: first }),
      {
        signal,
        inactivityMs: inspectionTimeoutMs,
        onInactive: 'picture-unreadable',
      },
    )
    return event.result
  }

  async inspectVideo(path: string, dir: string, signal?: AbortSignal): Promise<VideoInspection> {
    const event = await this.#ask(
      'video-inspected',
      [path],
      dir,
      ([source = ''], folder) => ({ kind: 'inspect-video', source, folder }),
      {
        signal,
        inactivityMs: inspectionTimeoutMs,
        onInactive: 'video-damaged',
      },
    )
    return event.result
  }

  /** Writes a frame as `frame.png`. @param time seconds in the file */
  async extractFrame(path: string, time: number, dir: string): Promise<void> {
    const body = ([source = '']: string[], folder: string): RequestBody => ({
      kind: 'extract-frame',
      ...{ source, folder, time },
    })
    await this.#ask('frame-extracted', [path], dir, body, {
      ...{ signal: undefined, inactivityMs: inspectionTimeoutMs, onInactive: 'video-damaged' },
    })
  }

  async swap(input: SwapInput): Promise<SwapResult> {
    const { proofOf = null, aigc = null } = input
    return (await this.#swap('swapped', input, [], () => ({ kind: 'swap', proofOf, aigc }))).result
  }

  /** Swaps a part of a finished swap again; see the request. */
  async reRender({ result, part, ...input }: ReRenderInput): Promise<ReRenderResult> {
    const addition = (url: (path: string) => string) => ({ kind: 're-render', result: url(result), part }) as const
    return (await this.#swap('re-rendered', input, [result], addition)).result
  }

  async #swap<T extends 'swapped' | 're-rendered'>(
    type: T,
    input: SwapInput,
    others: string[],
    addition: (url: (path: string) => string) => SwapAddition,
  ): Promise<Extract<ResultEvent, { type: T }>> {
    const { cast, stay = [], video, range = null, dir, method = null, onProgress, signal } = input
    const { options = defaultOptions, encoder = 'software' } = input
    const models = method
      ? [method.swapper, method.recogniser, method.converter].flatMap((file) => file?.path ?? [])
      : []
    const paths = [...new Set([video, ...others, ...cast.flatMap(({ pictures }) => pictures), ...models])]
    const body = (items: string[], folder: string): RequestBody => {
      const url = (path: string): string => items[paths.indexOf(path)] ?? ''
      return {
        ...{ folder, video: url(video), encoder, options, range, stay },
        ...addition(url),
        cast: cast.map(({ pictures, clips }) => ({ pictures: pictures.map(url), clips })),
        method: method && methodOf(method, ({ path }) => url(path)),
      }
    }
    return this.#ask(type, paths, dir, body, {
      signal,
      inactivityMs: method ? modelInactivityMs : swapInactivityMs,
      // As after a crash, the caller retries in a new window, which resumes from the checkpoint.
      onInactive: 'engine-crashed',
      onProgress,
    })
  }

  /** Finds the people in a video. Writes `clip-N.jpg` to `dir`; `onPeople` gets what was found so far. */
  async scanPeople(
    path: string,
    dir: string,
    { signal, onPeople }: { signal?: AbortSignal; onPeople?: (scan: PeopleScan) => void } = {},
  ): Promise<PeopleScan> {
    const body = ([source = '']: string[], folder: string): RequestBody => ({ kind: 'scan-people', source, folder })
    const event = await this.#ask('people-scanned', [path], dir, body, {
      signal,
      inactivityMs: scanInactivityMs,
      onInactive: 'engine-failed',
      onPeople,
    })
    return event.result
  }

  /** Takes a picture of a face at a place, as `file` in `dir`. */
  async pictureFace(path: string, dir: string, picture: { place: Place; file: string }): Promise<void> {
    const body = ([source = '']: string[], folder: string): RequestBody => ({
      ...{ kind: 'picture-face', source, folder },
      ...picture,
    })
    await this.#ask('face-pictured', [path], dir, body, {
      ...{ signal: undefined, inactivityMs: inspectionTimeoutMs, onInactive: 'video-damaged' },
    })
  }

  /** Tests the encoders. */
  async probe(signal?: AbortSignal): Promise<ProbeResult> {
    const event = await this.#ask('probed', [], null, () => ({ kind: 'probe' }), {
      signal,
      inactivityMs: probeTimeoutMs,
      onInactive: 'engine-failed',
    })
    return event.result
  }

  /** Runs a model on a fixed input. @throws MienError `engine-failed`, `engine-crashed`, `cancelled`, codes of its file */
  async checkModel(path: string, spec: ModelSpec, signal?: AbortSignal): Promise<ModelCheck> {
    const body = ([url = '']: string[]): RequestBody => ({ kind: 'check-model', model: { url, spec } })
    const event = await this.#ask('model-checked', [path], null, body, {
      signal,
      inactivityMs: modelInactivityMs,
      onInactive: 'engine-failed',
    })
    return event.result
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

  async #ask<T extends ResultEvent['type']>(
    type: T,
    paths: string[],
    dir: string | null,
    body: (items: string[], folder: string) => RequestBody,
    options: {
      signal: AbortSignal | undefined
      inactivityMs: number
      onInactive: ErrorCode
      onProgress?: ((progress: EngineProgress) => void) | undefined
      onPeople?: ((scan: PeopleScan) => void) | undefined
    },
  ): Promise<Extract<ResultEvent, { type: T }>> {
    if (options.signal?.aborted) throw new MienError('cancelled')
    for (const path of paths) await checkReadable(path)
    const id = randomUUID()
    const token = randomUUID()
    // Keep the extension, which determines the content type; the rest of the name isn't exposed.
    const items = paths.map((path) => `${randomUUID()}${/^\.\w{1,5}$/.exec(extname(path))?.[0] ?? ''}`)
    items.forEach((item, index) => this.#grants.items.set(item, paths[index] ?? ''))
    if (dir !== null) this.#grants.folders.set(token, dir)
    let inactivity: InactivityTimeout | undefined
    let onAbort: (() => void) | undefined
    try {
      return await new Promise((resolve, reject) => {
        const fail = (error: MienError, cancelInWindow = false): void => {
          if (cancelInWindow) this.#running?.window.cancel(id)
          reject(error)
        }
        const isWarm = (): boolean => this.#running?.warm === true
        const own = new InactivityTimeout(options.inactivityMs, isWarm, () => {
          const error = new MienError(options.onInactive, { reason: 'no answer in time' })
          this.#deps.log?.(`the engine gave no answer in time: ${type}`)
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
              resolve(event as Extract<ResultEvent, { type: T }>)
            }
          },
        })
        const running = this.#start()
        running.ready.then(
          () => {
            if (options.signal?.aborted) return
            own.begin()
            const urls = items.map((item) => `media://item/${item}`)
            running.window.send({ ...body(urls, `media://job/${token}`), id })
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
      for (const item of items) this.#grants.items.delete(item)
      if (this.#running?.suspect && this.#pending.size === 0) this.#throwAway(new MienError('engine-failed'))
    }
  }

  #start(): Running {
    if (this.#disposed) throw new MienError('cancelled')
    if (this.#running) return this.#running
    const { promise: ready, resolve: markReady, reject: fail } = Promise.withResolvers<undefined>()
    this.#session ??= createEngineSession(this.#deps, this.#grants)
    const events: EngineWindowEvents = {
      log: (line) => this.#deps.log?.(line),
      onGone: (reason) => {
        if (this.#running !== running) return
        this.#deps.log?.(`the engine window is gone: ${reason}`)
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
      window: new EngineWindow(this.#session, this.#deps.preload, events),
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

function methodOf(method: MethodFiles, url: (file: { path: string }) => string): ModelMethod {
  const { swapper, recogniser, converter, strength, backend } = method
  return {
    swapper: { url: url(swapper), spec: swapper.spec },
    recogniser: recogniser && { url: url(recogniser), spec: recogniser.spec },
    converter: converter && { url: url(converter), spec: converter.spec },
    ...{ strength, backend },
  }
}
