/**
 * @file The loaded models of a swap. All runs are serialised, because concurrent runs on WebGPU corrupt each other's
 * data. A model that fails on another backend than wasm is loaded again there.
 */
import type { Backend, BackendProblem, RanOn } from '@shared/engine/engine.ts'
import { MienError } from '@shared/mien-error.ts'
import type { ModelTensor } from '@shared/engine/models.ts'
import type { Source } from '@shared/engine/protobuf.ts'
import { readEmap } from './emap.ts'

/** A tensor of a picture or an embedding. */
export interface Input extends ModelTensor {
  dims: readonly number[]
  data: Float32Array
}

export interface Session {
  /** @returns the output's values */
  run: (inputs: readonly Input[], output: string) => Promise<Float32Array>
  release: () => Promise<void>
}

/** A model's file. */
export interface ModelFile {
  size: () => Promise<number>
  read: Source['read']
  all: () => Promise<Uint8Array>
}

export interface SessionPorts {
  file: (url: string) => ModelFile
  create: (model: ModelFile, backend: Backend) => Promise<Session>
  /** Why a backend can't be used here; null if it can. */
  problemOf: (backend: Backend) => Promise<'absent' | 'software' | null>
}

export interface ModelToOpen {
  url: string
  backend: Backend
  /** Whether inswapper's matrix is needed. */
  withEmap?: boolean
}

interface Loaded {
  url: string
  /** What was asked for, and what it runs on now. */
  wanted: Backend
  backend: Backend
  fellBack: BackendProblem | null
  used: Set<Backend>
  emap: Float32Array | null
  session: Session
}

/** Methods throw MienError `model-failed` and the codes of reading a file. */
export class Sessions {
  readonly #loaded = new Map<string, Loaded>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(private readonly ports: SessionPorts) {}

  /** Loads a model, unless one of this name is loaded for the same backend. @returns inswapper's matrix, if needed */
  open(name: string, { url, backend, withEmap = false }: ModelToOpen): Promise<{ emap: Float32Array | null }> {
    return this.#next(async () => {
      const known = this.#loaded.get(name)
      if (known?.wanted === backend) {
        // The file has a new URL for each job.
        known.url = url
        known.used.clear()
        return { emap: known.emap }
      }
      await known?.session.release()
      this.#loaded.delete(name)
      const model = this.ports.file(url)
      const fellBack = await this.ports.problemOf(backend)
      const created = await this.#create(model, { backend: fellBack ? 'wasm' : backend, fellBack })
      const emap = withEmap ? await emapOf(model) : null
      this.#loaded.set(name, { ...created, url, wanted: backend, used: new Set(), emap })
      return { emap }
    })
  }

  /** @returns the output's values */
  run(name: string, inputs: readonly Input[], output: string): Promise<Float32Array> {
    return this.#next(async () => {
      const loaded = this.#get(name)
      const tried = async (): Promise<Float32Array> => {
        loaded.used.add(loaded.backend)
        return numbers(await loaded.session.run(inputs, output))
      }
      try {
        return await tried()
      } catch (error) {
        if (loaded.backend === 'wasm') throw failed(error)
        console.warn(`a model failed on ${loaded.backend}: ${String(error)}`)
        await loaded.session.release().catch(() => undefined)
        const model = this.ports.file(loaded.url)
        Object.assign(loaded, await this.#create(model, { backend: 'wasm', fellBack: 'failed' }))
        return tried().catch((again: unknown) => Promise.reject(failed(again)))
      }
    })
  }

  /** How a model has run since `open`. */
  ranOn(name: string): RanOn {
    const { used, fellBack } = this.#get(name)
    return { backends: [...used], fellBack }
  }

  close(name: string): Promise<void> {
    return this.#next(async () => {
      const loaded = this.#loaded.get(name)
      this.#loaded.delete(name)
      await loaded?.session.release()
    })
  }

  async #create(
    model: ModelFile,
    way: Pick<Loaded, 'backend' | 'fellBack'>,
  ): Promise<Pick<Loaded, 'backend' | 'fellBack' | 'session'>> {
    try {
      return { ...way, session: await this.ports.create(model, way.backend) }
    } catch (error) {
      if (way.backend === 'wasm') throw failed(error)
      console.warn(`a model can't be loaded on ${way.backend}: ${String(error)}`)
      return this.#create(model, { backend: 'wasm', fellBack: 'failed' })
    }
  }

  #get(name: string): Loaded {
    const loaded = this.#loaded.get(name)
    if (!loaded) throw new Error('the model is not loaded')
    return loaded
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }
}

function numbers(values: Float32Array): Float32Array {
  if (values.every(Number.isFinite)) return values
  throw new MienError('model-failed', { reason: notANumber })
}

/** Reason of a `model-failed`. */
export const notANumber = 'not a number'

async function emapOf(model: ModelFile): Promise<Float32Array> {
  try {
    return await readEmap({ size: await model.size(), read: (start, end) => model.read(start, end) })
  } catch (error) {
    throw failed(error)
  }
}

const failed = (error: unknown): MienError =>
  error instanceof MienError
    ? error
    : new MienError(
        'model-failed',
        { reason: error instanceof Error ? error.message : String(error) },
        { cause: error },
      )
