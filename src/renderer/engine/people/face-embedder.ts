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

export interface FaceEmbedder {
  /**
   * @param points x, y of the landmarks in coded pixels
   * @returns 128 numbers, a vector of length 1, so that the dot product of two is their cosine
   * @throws MienError `model-failed`, and the signal's reason
   */
  embed: (planes: Planes, color: ColorModel, points: Float32Array) => Promise<Float32Array>
  /** Ends the worker. Pending calls reject. */
  close: () => void
}

/**
 * Loads the model in a neural worker of the caller's, so that models of other jobs stay loaded. It runs on the processor,
 * where the same face always gives the same numbers.
 * @param context the worker ends when `signal` is aborted
 */
export async function openEmbedder({ signal }: { signal: AbortSignal }): Promise<FaceEmbedder> {
  signal.throwIfAborted()
  const worker = new NeuralWorker()
  const close = (): void => {
    signal.removeEventListener('abort', close)
    worker.caller.fail(signal.aborted ? (signal.reason as Error) : new Error('the embedder is closed'))
    worker.end()
  }
  signal.addEventListener('abort', close)
  try {
    // More would wait for each other, because the video is decoded and searched at the same time.
    await worker.caller.call('limitThreads', [1])
    await worker.caller.call('open', [file, { url: new URL(`/models/${file}`, location.origin).href, backend: 'wasm' }])
  } catch (error) {
    close()
    throw error
  }
  return { embed: embedWith(worker.caller), close }
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
