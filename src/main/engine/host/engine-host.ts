/** @file Main process side of the engine: takes requests by path, returns results or typed errors. */
import type {
  Cast,
  EngineProgress,
  EngineRequest,
  FaceInspection,
  FaceViews,
  ModelCheck,
  ModelMethod,
  ReRenderResult,
  SwapResult,
  VideoInspection,
} from '@shared/engine/engine.ts'
import type { Encoder, ProbeResult } from '@shared/engine/encoder.ts'
import type { ModelSpec } from '@shared/engine/models.ts'
import { defaultOptions, type SwapOptions } from '@shared/options/swap-options.ts'
import type { Clip, PeopleScan, Place, Range, VideoPart } from '@shared/people/people.ts'
import { EngineRequests, type MakeRequest, type RequestOptions, type ResultOf, type UrlOf } from './engine-requests.ts'

/** Limits of a request that reads a picture, or little of a video. */
const ofPicture = { inactivityMs: 30_000, onInactive: 'picture-unreadable' } as const
const ofVideo = { inactivityMs: 30_000, onInactive: 'video-damaged' } as const
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
    const request: MakeRequest = (url, folder) => ({
      ...{ kind: 'inspect-face', source: url(path), folder },
      like: like === undefined ? null : url(like),
    })
    return this.ask('face-inspected', dir, request, { ...ofPicture, signal })
  }

  /**
   * Takes pictures of a face from a video, as files in `dir`.
   * @param like path of a picture of the person who is wanted; undefined: everybody
   */
  async faceViews(path: string, dir: string, signal?: AbortSignal, like?: string): Promise<FaceViews> {
    const request: MakeRequest = (url, folder) => ({
      ...{ kind: 'face-views', source: url(path), folder },
      like: like === undefined ? null : url(like),
    })
    return this.ask('face-views-taken', dir, request, { ...ofVideo, inactivityMs: scanInactivityMs, signal })
  }

  async inspectVideo(path: string, dir: string, signal?: AbortSignal): Promise<VideoInspection> {
    const request: MakeRequest = (url, folder) => ({ kind: 'inspect-video', source: url(path), folder })
    return this.ask('video-inspected', dir, request, { ...ofVideo, signal })
  }

  /** Writes a frame as `frame.png`. @param time seconds in the file */
  async extractFrame(path: string, time: number, dir: string): Promise<void> {
    const request: MakeRequest = (url, folder) => ({ kind: 'extract-frame', source: url(path), folder, time })
    await this.ask('frame-extracted', dir, request, ofVideo)
  }

  async swap(input: SwapInput): Promise<SwapResult> {
    const { proofOf = null, aigc = null } = input
    return this.#swap('swapped', input, () => ({ kind: 'swap', proofOf, aigc }))
  }

  /** Swaps a part of a finished swap again; see the request. */
  async reRender({ result, part, ...input }: ReRenderInput): Promise<ReRenderResult> {
    return this.#swap('re-rendered', input, (url) => ({ kind: 're-render', result: url(result), part }))
  }

  async #swap<T extends 'swapped' | 're-rendered'>(
    type: T,
    input: SwapInput,
    addition: (url: UrlOf) => SwapAddition,
  ): Promise<ResultOf<T>> {
    const { cast, stay = [], video, range = null, dir, method = null, onProgress, signal } = input
    const { options = defaultOptions, encoder = 'software' } = input
    const request: MakeRequest = (url, folder) => ({
      ...{ folder, video: url(video), encoder, options, range, stay },
      ...addition(url),
      cast: cast.map(({ pictures, clips }) => ({ pictures: pictures.map(url), clips })),
      method: method && methodOf(method, ({ path }) => url(path)),
    })
    return this.ask(type, dir, request, {
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
    const request: MakeRequest = (url, folder) => ({ kind: 'scan-people', source: url(path), folder })
    return this.ask('people-scanned', dir, request, {
      signal,
      inactivityMs: scanInactivityMs,
      onInactive: 'engine-failed',
      onPeople,
    })
  }

  /** Takes a picture of a face at a place, as `file` in `dir`. */
  async pictureFace(path: string, dir: string, picture: { place: Place; file: string }): Promise<void> {
    const request: MakeRequest = (url, folder) => ({ kind: 'picture-face', source: url(path), folder, ...picture })
    await this.ask('face-pictured', dir, request, ofVideo)
  }

  /** Tests the encoders. */
  async probe(signal?: AbortSignal): Promise<ProbeResult> {
    const options: RequestOptions = { signal, inactivityMs: probeTimeoutMs, onInactive: 'engine-failed' }
    return this.ask('probed', null, () => ({ kind: 'probe' }), options)
  }

  /** Runs a model on a fixed input. @throws MienError `engine-failed`, `engine-crashed`, codes of its file */
  async checkModel(path: string, spec: ModelSpec): Promise<ModelCheck> {
    const request: MakeRequest = (url) => ({ kind: 'check-model', model: { url: url(path), spec } })
    return this.ask('model-checked', null, request, { inactivityMs: modelInactivityMs, onInactive: 'engine-failed' })
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
