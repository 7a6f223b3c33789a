/** @file Main process side of the engine: takes requests by path, returns results or typed errors. */
import type {
  Cast,
  Encoder,
  EngineProgress,
  EngineRequest,
  FaceInspection,
  FaceViews,
  ModelCheck,
  ModelMethod,
  ProbeResult,
  ReRenderResult,
  SwapResult,
  VideoInspection,
} from '@shared/engine/engine.ts'
import type { ModelSpec } from '@shared/engine/models.ts'
import { defaultOptions, type SwapOptions } from '@shared/options/swap-options.ts'
import type { Clip, PeopleScan, Place, Range, VideoPart } from '@shared/people/people.ts'
import { EngineRequests, type RequestBody, type ResultEvent } from './engine-requests.ts'

const inspectionTimeoutMs = 30_000
const swapInactivityMs = 60_000
/** A large model takes seconds per frame, and several times that while the computer is busy. */
const modelInactivityMs = 240_000
const scanInactivityMs = 60_000
const probeTimeoutMs = 30_000

/** A face, and whom it replaces. */
export interface CastFiles extends Pick<Cast, 'clips'> {
  /** Absolute paths of pictures of one person. */
  pictures: readonly string[]
}

interface SwapInput {
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
type AigcFields = Extract<EngineRequest, { kind: 'swap' }>['aigc']

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

type SwapAddition =
  | Pick<Extract<EngineRequest, { kind: 'swap' }>, 'kind' | 'proofOf' | 'aigc'>
  | Pick<Extract<EngineRequest, { kind: 're-render' }>, 'kind' | 'result' | 'part'>

/** What the engine is asked for, by paths. Every rejection is a `MienError`. */
export class EngineHost extends EngineRequests {
  /** @param like path of a picture of the person that the face has to be */
  async inspectFace(path: string, dir: string, signal?: AbortSignal, like?: string): Promise<FaceInspection> {
    const event = await this.ask(
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

  /**
   * Takes pictures of a face from a video, as files in `dir`.
   * @param like path of a picture of the person who is wanted; undefined: everybody
   */
  async faceViews(path: string, dir: string, signal?: AbortSignal, like?: string): Promise<FaceViews> {
    const event = await this.ask(
      'face-views-taken',
      like === undefined ? [path] : [path, like],
      dir,
      ([source = '', first = null], folder) => ({ kind: 'face-views', source, folder, like: first }),
      { signal, inactivityMs: scanInactivityMs, onInactive: 'video-damaged' },
    )
    return event.result
  }

  async inspectVideo(path: string, dir: string, signal?: AbortSignal): Promise<VideoInspection> {
    const event = await this.ask(
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
    await this.ask('frame-extracted', [path], dir, body, {
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
    return this.ask(type, paths, dir, body, {
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
    const event = await this.ask('people-scanned', [path], dir, body, {
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
    await this.ask('face-pictured', [path], dir, body, {
      ...{ signal: undefined, inactivityMs: inspectionTimeoutMs, onInactive: 'video-damaged' },
    })
  }

  /** Tests the encoders. */
  async probe(signal?: AbortSignal): Promise<ProbeResult> {
    const event = await this.ask('probed', [], null, () => ({ kind: 'probe' }), {
      signal,
      inactivityMs: probeTimeoutMs,
      onInactive: 'engine-failed',
    })
    return event.result
  }

  /** Runs a model on a fixed input. @throws MienError `engine-failed`, `engine-crashed`, `cancelled`, codes of its file */
  async checkModel(path: string, spec: ModelSpec, signal?: AbortSignal): Promise<ModelCheck> {
    const body = ([url = '']: string[]): RequestBody => ({ kind: 'check-model', model: { url, spec } })
    const event = await this.ask('model-checked', [path], null, body, {
      signal,
      inactivityMs: modelInactivityMs,
      onInactive: 'engine-failed',
    })
    return event.result
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

type Needed = 'stay' | 'range' | 'options' | 'onProgress'
/** A swap whose encoder is chosen for this computer. */
export interface SwapJob extends Omit<SwapInput, 'encoder' | Needed>, Required<Pick<SwapInput, Needed>> {
  /** Of the job; absent for a proof. */
  id?: string
  signal: AbortSignal
}

/** What services need from the engine. */
export interface EnginePort {
  /** Rejects with a MienError, also for invalid faces or videos; `cancelled` after an abort. */
  swap(job: SwapJob): Promise<SwapResult>
}
