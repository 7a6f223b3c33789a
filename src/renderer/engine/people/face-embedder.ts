/**
 * @file Embeddings of faces by SFace (OpenCV Zoo), whose file `scripts/models/compact-recogniser.mjs` makes. Its input and
 * the bound for "the same person" are those of OpenCV's FaceRecognizerSF.
 */
import type { Backend } from '@shared/engine/engine.ts'
import { cropOfPlanes, normalise } from '../neural/crop.ts'
import { cropMap, fivePoints } from '../neural/five-points.ts'
import { NeuralWorker } from '../neural/neural-worker.ts'
import type { NeuralMethods } from '../neural/neural-methods.ts'
import type { Caller } from '../common/rpc.ts'
import type { ColorModel, Planes } from '../media/pixels/planes.ts'

const file = 'sface_int8.onnx'
const side = 112
/** The graph takes values of 0…255. */
const scale = { mean: [0, 0, 0], std: [1 / 255, 1 / 255, 1 / 255] } as const

/** Two pictures show the same person if the cosine of their embeddings is at least this. */
export const samePersonCosine = 0.363

/** Loading takes 0.8 s, so the model stays loaded for so long after its last use. */
const idleMs = 60_000

export interface FaceEmbedder {
  /**
   * @param points x, y of the landmarks in coded pixels
   * @returns 128 numbers, a vector of length 1, so that the dot product of two is their cosine
   * @throws MienError `model-failed`
   */
  embed: (planes: Planes, color: ColorModel, points: Float32Array) => Promise<Float32Array>
  /** Call it once. */
  close: () => void
}

interface Shared {
  worker: NeuralWorker
  loaded: Promise<unknown>
  users: number
}

let shared: Shared | null = null
let ending: ReturnType<typeof setTimeout> | undefined

/**
 * Loads the model in a neural worker apart from the swaps', so that their models stay loaded. It runs on the processor: natively
 * where there is WebNN and that is faster, else in WebAssembly. The numbers differ by about 1e-5.
 */
export async function openEmbedder(): Promise<FaceEmbedder> {
  clearTimeout(ending)
  const own = (shared ??= load())
  own.users += 1
  const close = (): void => {
    own.users -= 1
    if (own.users > 0 || own !== shared) return
    ending = setTimeout(() => {
      end(own, new Error('the embedder is closed'))
    }, idleMs)
  }
  const embed = embedWith(own.worker.caller)
  const orEnd = (error: Error): never => {
    end(own, error)
    throw error
  }
  await own.loaded.catch(orEnd)
  return { embed: (...face) => embed(...face).catch(orEnd), close }
}

/** The faster way to run the model here; null: not measured yet. */
let faster: Backend | null = null

function load(): Shared {
  const worker = new NeuralWorker()
  const { caller } = worker
  const url = new URL(`/models/${file}`, location.origin).href
  const open = (backend: Backend): Promise<unknown> => caller.call('open', [file, { url, backend }])
  const runMs = async (): Promise<number> => {
    const began = performance.now()
    await runOn(
      caller,
      Float32Array.from({ length: 3 * side * side }, (_, at) => (at * 37) % 256),
    )
    return performance.now() - began
  }
  const loaded = async (): Promise<void> => {
    // More would wait for each other, because the video is decoded and searched at the same time.
    await caller.call('limitThreads', [1])
    if (faster === null) faster = await openFaster(open, runMs)
    else await open(faster)
  }
  return { worker, loaded: loaded(), users: 0 }
}

/** In WebAssembly a run takes 80 ms and more, so a run that takes less needn't be compared with it. */
const surelyFasterMs = 60

/**
 * Loads the model in the faster way: natively, it takes a third of WebAssembly's time on most processors, and eight times as
 * much on some. @param runMs runs it, and says how long that took @returns how it is loaded
 */
export async function openFaster(
  open: (backend: Backend) => Promise<unknown>,
  runMs: () => Promise<number>,
): Promise<Backend> {
  const timed = async (backend: Backend): Promise<number> => {
    await open(backend)
    // The first run prepares what the next ones use.
    await runMs()
    return runMs()
  }
  const native = await timed('webnn')
  if (native < surelyFasterMs) return 'webnn'
  if ((await timed('wasm')) < native) return 'wasm'
  await open('webnn')
  return 'webnn'
}

const runOn = (caller: Pick<Caller<NeuralMethods>, 'call'>, data: Float32Array<ArrayBuffer>): Promise<Float32Array> => {
  const input = { name: 'data', type: 'float32', dims: [1, 3, side, side], data } as const
  return caller.call('run', [file, [input], 'fc1'], [data.buffer])
}

/** Pending calls reject. The next use loads the model again. */
function end(own: Shared, why: Error): void {
  if (own === shared) shared = null
  own.worker.caller.fail(why)
  own.worker.end()
}

/** @param caller of a neural worker in which the model is loaded */
export const embedWith =
  (caller: Pick<Caller<NeuralMethods>, 'call'>): FaceEmbedder['embed'] =>
  async (planes, color, points) => {
    const crop = cropOfPlanes(planes, color, cropMap(fivePoints(points, 2), 'arcface_112_v2', side), side)
    const values = await runOn(caller, normalise(crop, scale))
    const length = Math.max(1e-12, Math.hypot(...values))
    return values.map((value) => value / length)
  }
