/**
 * @file Prepares what a swap draws, first from the face pictures alone, then with the video: by the built-in method, or by
 * a model of the user's.
 */
import type { RanOn, ModelMethod } from '@shared/engine/engine.ts'
import type { MediaInput } from '../../media/demux/media-input.ts'
import type { DrawnFace } from '../../render/face-renderer.ts'
import { prepareSource, levelFace } from '../../source/prepare-source.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { facesAhead, usualFace, wearsGlasses, type SeenPerson, type AnalysedFrame } from './first-frames.ts'
import type { JobContext } from '../job-context.ts'
import { MienError } from '@shared/mien-error.ts'
import type { ModelTensor, RecogniserSpec } from '@shared/engine/models.ts'
import { identity, type Affine } from '../../common/affine.ts'
import { codedPoints } from '../../face/landmarks.ts'
import { browStrength } from '../../source/brow-strength.ts'
import { fingerprint } from '../../media/versioned-file.ts'
import { fetchPicture } from '../../media/pixels/picture.ts'
import { cropOfPlanes, cropOfRgba, normalise } from '../../neural/crop.ts'
import { meanOf, neutralStrength, sourceVector, withStrength } from '../../neural/embedding.ts'
import { cropMap, fivePoints } from '../../neural/five-points.ts'
import type { Input } from '../../neural/sessions.ts'
import type { SourceCut } from '../../source/source-face.ts'
import { leaveNeuralWorker, takeNeuralWorker, type NeuralWorker } from '../../neural/neural-worker.ts'

export interface PreparedFace {
  /** For one thread: every thread that draws needs another. */
  open: () => DrawnFace
  /** How models ran on all frames so far; null without models. */
  ranOn: () => Promise<RanOn | null>
  /** The swap continues one whose models ran like this. */
  continue: (earlier: RanOn | null) => void
  /** The swap has ended. @param done false if it failed or was cancelled */
  close: (done: boolean) => void
}

/** How models ran for all faces; null without models. */
export async function joinRanOn(faces: readonly PreparedFace[]): Promise<RanOn | null> {
  const all = (await Promise.all(faces.map((face) => face.ranOn()))).filter((one) => one !== null)
  if (all.length === 0) return null
  return {
    backends: [...new Set(all.flatMap(({ backends }) => backends))],
    fellBack: all.find(({ fellBack }) => fellBack !== null)?.fellBack ?? null,
  }
}

/**
 * Second step of the preparation.
 * @param media null: a picture, whose pixels and landmarks are upright
 */
export type FinishFace = (media: MediaInput | null, seen: SeenPerson) => Promise<PreparedFace>

/**
 * For the built-in method.
 * @param keep what stays of the person in the video: glasses over other glasses would show two rims
 * @throws as `prepareSource`
 */
export async function prepareMesh(
  urls: readonly string[],
  keep: SwapOptions['keep'],
  context: JobContext,
): Promise<FinishFace> {
  const source = await prepareSource(urls, context.analyst, context.signal)
  return async (media, seen) => {
    const mayClash = source.cut !== source.bare && keep.includes('glasses')
    const cut = mayClash && (await wearsGlasses(seen.frames, media, context)) ? source.bare : source.cut
    const person = usualFace(seen, cut.shape)
    const depths = facesAhead(seen).map(({ browDepth }) => browDepth)
    const strength = browStrength(cut, depths)
    return {
      open: () => ({ kind: 'mesh', cut, person, browStrength: strength }),
      ranOn: () => Promise.resolve(null),
      continue: () => undefined,
      close: () => undefined,
    }
  }
}

/**
 * @param urls of pictures of the source face
 * @throws MienError `model-failed`, and the codes of the face pictures and of reading a file
 */
export async function prepareModel(
  urls: readonly string[],
  method: ModelMethod,
  { analyst, signal }: JobContext,
): Promise<FinishFace> {
  const faces: SourceCut[] = []
  for (const picture of urls) {
    const face = await usableFace(picture, analyst, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      // Only the first picture has to be usable, as with the built-in method.
      if (faces.length > 0 && error instanceof MienError) return null
      throw error
    })
    if (face) faces.push(face)
  }
  const { url, spec } = method.swapper
  const name = await fingerprint(url, signal)
  return async (media, { frames }) => {
    const worker = await takeNeuralWorker(name)
    try {
      // The other models come first, so that their memory is free again when the large swapper is loaded.
      const raw = method.recogniser
        ? await recognised(worker, method, faces, framesFor(method, frames), media?.facts.view ?? identity)
        : null
      const withEmap = spec.source.kind === 'embedding' && spec.source.embedding === 'emap'
      const { emap } = await worker.caller.call('open', [name, { url, backend: method.backend, withEmap }])
      const data = sourceOf(method, faces, raw, emap)
      const { kind } = spec.source
      const dims = kind === 'picture' ? [1, 3, spec.source.size, spec.source.size] : [1, data.length]
      const source: Input = { ...spec.inputs.source, dims, data }
      let earlier: RanOn | null = null
      return {
        open: () => ({ kind: 'model', spec, name, source, port: worker.port() }),
        ranOn: async () => {
          const { backends, fellBack } = await worker.caller.call('ranOn', [name])
          const all = new Set([...(earlier?.backends ?? []), ...backends])
          return { backends: [...all], fellBack: fellBack ?? earlier?.fellBack ?? null }
        },
        continue: (before) => void (earlier = before),
        close: (done) => {
          leaveNeuralWorker(name, done)
        },
      }
    } catch (error) {
      leaveNeuralWorker(name, false)
      throw error
    }
  }
}

async function usableFace(url: string, analyst: JobContext['analyst'], signal: AbortSignal): Promise<SourceCut> {
  const { cut, judged } = await levelFace(await fetchPicture(url, signal), analyst)
  await judged
  return cut
}

type Shape = Pick<RecogniserSpec, 'size' | 'template' | 'mean' | 'std'>

const cropOfFace = (face: SourceCut, shape: Shape): Float32Array =>
  normalise(cropOfRgba(face, cropMap(fivePoints(face.points, 3), shape.template, shape.size), shape.size), shape)

/** The frames to take the face in the video from. It is the same for the whole video, so that a swap can be resumed. */
const framesFor = ({ swapper, strength }: ModelMethod, frames: readonly AnalysedFrame[]): readonly AnalysedFrame[] =>
  swapper.spec.source.kind === 'embedding' && strength !== neutralStrength ? frames : []

interface Recognised {
  /** Raw embeddings of the source face, and of the face in the video. */
  source: Float32Array
  target: Float32Array | null
  /** The converter's output for `source`. */
  converted: Float32Array | null
}

async function recognised(
  { caller }: NeuralWorker,
  { recogniser, converter }: ModelMethod,
  faces: readonly SourceCut[],
  frames: readonly AnalysedFrame[],
  view: Affine,
): Promise<Recognised | null> {
  if (!recogniser) return null
  /** Runs a model on each input. On the processor, where the same numbers come out every time. */
  const run = async (
    { url, spec }: { url: string; spec: { role: string; input: ModelTensor; output: ModelTensor } },
    dims: readonly number[],
    inputs: readonly Float32Array[],
  ): Promise<Float32Array[]> => {
    await caller.call('open', [spec.role, { url, backend: 'wasm' }])
    const outputs: Float32Array[] = []
    try {
      for (const data of inputs)
        outputs.push(await caller.call('run', [spec.role, [{ ...spec.input, dims, data }], spec.output.name]))
    } finally {
      await caller.call('close', [spec.role])
    }
    return outputs
  }
  const { spec } = recogniser
  const crops = faces.map((face) => cropOfFace(face, spec))
  for (const { points, planes, color } of frames) {
    const map = cropMap(fivePoints(codedPoints(points, view), 2), spec.template, spec.size)
    crops.push(normalise(cropOfPlanes(planes, color, map, spec.size), spec))
  }
  const found = await run(recogniser, [1, 3, spec.size, spec.size], crops)
  const source = meanOf(found.slice(0, faces.length))
  const target = frames.length > 0 ? meanOf(found.slice(faces.length)) : null
  const [converted = null] = converter ? await run(converter, [1, source.length], [source]) : []
  return { source, target, converted }
}

function sourceOf(
  { swapper, strength }: ModelMethod,
  [face]: readonly SourceCut[],
  raw: Recognised | null,
  emap: Float32Array | null,
): Float32Array {
  const { source } = swapper.spec
  if (source.kind === 'picture') return face ? cropOfFace(face, source) : new Float32Array()
  if (!raw) throw new Error('the swapper needs a recogniser')
  const vector = sourceVector(raw.source, source, { emap, converted: raw.converted })
  return raw.target ? withStrength(vector, raw.target, strength, source) : vector
}
