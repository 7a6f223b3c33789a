/** @file Swap method without a model: draws the source's face as a texture on the target's mesh. */
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { PoseFinder } from '../face/pose.ts'
import { smileOf } from '../face/smile.ts'
import { meshPoints } from '../face/topology.ts'
import type { Canvas } from '../common/canvas.ts'
import { chromaOf, type ColorModel } from '../media/pixels/planes.ts'
import { type SourceCut, SourceFace } from '../source/source-face.ts'
import type { ProjectedOcclusion } from '../occlusion/occlusion-map.ts'
import { halveWeights, meshWithOpenings, triangleFlags, weightsFor } from '../raster/mesh-weights.ts'
import { halved, rasterise, type Mesh } from '../raster/raster.ts'
import { smoothSilhouettes } from '../raster/silhouettes.ts'
import { drawEyes } from './eye-layer.ts'
import { Lids } from './eye-mesh.ts'
import { SourceShape } from './shape.ts'
import type { DrawnPlanes, FaceCrop, SwappedFace, SwapSource } from './swap-method.ts'

export interface MeshFace {
  kind: 'mesh'
  cut: SourceCut
  /** x, y, z of the landmarks of the person in the video, without expression, laid over the cut's; null: unknown */
  person: Float32Array | null
  /** As of `SwapSource`. */
  browStrength: number
}

/** @param color colour model of the video */
export const meshSource = (face: MeshFace, color: ColorModel, options: SwapOptions): SwapSource =>
  new MeshSource(new SourceFace(face.cut, color), face, options)

class MeshSource implements SwapSource {
  readonly browStrength: number
  readonly #source: SourceFace
  readonly #shape: SourceShape | null
  readonly #lids: Lids
  /** Null: the source has no views to choose from. */
  readonly #head: PoseFinder | null
  /** Of the last face drawn, with the source's proportions. */
  #shaped: Float32Array = new Float32Array(0)
  #luma = new Uint8Array(0)
  /** The mask at full size. */
  #weight = new Uint8Array(0)
  #small: [Uint8Array, Uint8Array, Uint8Array] = [new Uint8Array(0), new Uint8Array(0), new Uint8Array(0)]

  constructor(source: SourceFace, { person, browStrength }: MeshFace, options: SwapOptions) {
    this.browStrength = browStrength
    this.#source = source
    this.#shape = person && new SourceShape(source.shape, person, options)
    const weights = weightsFor(options)
    this.#head = source.hasViews ? new PoseFinder(person ?? source.shape) : null
    this.#lids = new Lids(source.points, weights, person ?? source.shape)
  }

  swapFace({ box, under, faceWidth }: FaceCrop, landmarks: Float32Array): SwappedFace {
    const { width, height } = box
    const level = this.#source.levelFor(faceWidth)
    const { planes, scale } = this.#source.level(level, this.#head?.of(landmarks, 2) ?? null, smileOf(landmarks, 2))
    this.#shaped = this.#shape?.on(landmarks) ?? landmarks
    const { points, weights } = this.#lids.at(this.#lids.openIn(landmarks))
    const mesh: Mesh = {
      triangles: meshWithOpenings,
      to: twice(this.#shaped, 1),
      from: twice(points, scale),
      weights,
      flags: triangleFlags,
    }
    const small: Canvas = { left: box.left / 2, top: box.top / 2, width: width / 2, height: height / 2 }
    const { weight, ...drawn } = this.#reserve(width * height)
    const { y, u, v, mask } = drawn
    // Reset the buffers: leftovers of earlier frames outside the mesh would make a resumed swap differ.
    y.set(under.y)
    u.set(under.u)
    v.set(under.v)
    weight.fill(0)
    rasterise(mesh, box, { data: planes.y, width: planes.width, height: planes.height }, y, weight)
    smoothSilhouettes(mesh.to, box, [y])
    halveWeights(weight, width, mask)
    const chroma = { width: chromaOf(planes.width), height: chromaOf(planes.height) }
    const to = halved(mesh.to)
    rasterise({ ...mesh, to, from: halved(mesh.from) }, small, { data: planes.u, ...chroma }, u, null, {
      texture: { data: planes.v, ...chroma },
      out: v,
    })
    smoothSilhouettes(to, small, [u, v])
    return { ...drawn, points: this.#shaped }
  }

  drawEyes(
    { frame }: FaceCrop,
    landmarks: Float32Array,
    opacity: number,
    occlusions: readonly ProjectedOcclusion[],
  ): readonly Canvas[] {
    return drawEyes({ landmarks, shaped: this.#shaped, tones: this.#source.tones }, frame, opacity, occlusions)
  }

  #reserve(size: number): DrawnPlanes & { weight: Uint8Array } {
    if (this.#luma.length < size) {
      const room = Math.ceil(size * 1.3)
      const quarter = (): Uint8Array => new Uint8Array(Math.ceil(room / 4))
      this.#luma = new Uint8Array(room)
      this.#weight = new Uint8Array(room)
      this.#small = [quarter(), quarter(), quarter()]
    }
    const [u, v, mask] = this.#small
    const part = size / 4
    return {
      y: this.#luma.subarray(0, size),
      u: u.subarray(0, part),
      v: v.subarray(0, part),
      mask: mask.subarray(0, part),
      weight: this.#weight.subarray(0, size),
    }
  }
}

/** Repeats the points, for the skin and for the openings (see `openingPoint`), and scales them. */
function twice(points: Float32Array, scale: number): Float32Array {
  const both = new Float32Array(meshPoints * 4)
  for (let at = 0; at < meshPoints * 2; at += 1) {
    const value = (points[at] ?? 0) * scale
    both[at] = value
    both[at + meshPoints * 2] = value
  }
  return both
}
