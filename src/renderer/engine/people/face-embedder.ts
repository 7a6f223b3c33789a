/**
 * @file Embeddings of faces by SFace (OpenCV Zoo), whose file `scripts/models/compact-recogniser.mjs` makes. Its input and
 * the bound for "the same person" are those of OpenCV's FaceRecognizerSF.
 */
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
 * Begins to load the model, unless it is loaded, in a neural worker apart from the swaps', so that their models stay loaded. It
 * runs in WebAssembly: natively, by WebNN, it takes a third of the time on some processors, but eight times as much on others,
 * and loads slowly.
 */
export function openEmbedder(): FaceEmbedder {
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
  return { embed: (...face) => own.loaded.then(() => embed(...face)).catch(orEnd), close }
}

function load(): Shared {
  const worker = new NeuralWorker()
  const open = async (): Promise<void> => {
    // More would wait for each other, because the video is decoded and searched at the same time.
    await worker.caller.call('limitThreads', [1])
    const url = new URL(`/models/${file}`, location.origin).href
    await worker.caller.call('open', [file, { url, backend: 'wasm' }])
  }
  const own: Shared = { worker, loaded: open(), users: 0 }
  // Whoever waits for it hears of it, too.
  const drop = (error: Error): void => {
    end(own, error)
  }
  own.loaded.catch(drop)
  return own
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
    const data = normalise(crop, scale)
    const input = { name: 'data', type: 'float32', dims: [1, 3, side, side], data } as const
    const values = await caller.call('run', [file, [input], 'fc1'], [data.buffer])
    const length = Math.max(1e-12, Math.hypot(...values))
    return values.map((value) => value / length)
  }
