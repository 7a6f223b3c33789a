/**
 * @file Swap method with a model of the user's: warps the face onto the model's template, runs the model in the neural
 * worker, and draws its answer where the face was.
 */
import type { SwapperSpec } from '@shared/engine/models.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { inverse, type Affine } from '../common/affine.ts'
import { Caller } from '../common/rpc.ts'
import { smoothstep } from '../common/smoothstep.ts'
import { meshPoints } from '../face/topology.ts'
import type { Canvas } from '../common/canvas.ts'
import { halvePlane, type ColorModel, type Planes } from '../media/pixels/planes.ts'
import { cropOfPlanes, denormalise, normalise, yuvOf } from '../neural/crop.ts'
import { cropMap, fivePoints } from '../neural/five-points.ts'
import type { NeuralMethods } from '../neural/neural-methods.ts'
import type { Input } from '../neural/sessions.ts'
import { triangleFlags, wholeMesh, wholeWeightsFor } from '../raster/mesh-weights.ts'
import { rasterise, type Mesh, type Texture } from '../raster/raster.ts'
import type { FaceCrop, SwappedFace, SwapSource } from './swap-method.ts'

export interface ModelFace {
  kind: 'model'
  spec: SwapperSpec
  /** The swapper's `source` input. */
  source: Input
  /** Name under which the neural worker has the swapper loaded. */
  name: string
  /** To the neural worker. */
  port: MessagePort
}

/** @param color colour model of the video */
export function modelSource(face: ModelFace, color: ColorModel, options: SwapOptions): SwapSource {
  const { spec, name: model, source, port } = face
  const worker = new Caller<NeuralMethods>(port)
  const { name, type } = spec.inputs.target
  const dims = [1, 3, spec.size, spec.size]
  return new ModelSource(spec, { color, options }, (data) =>
    worker.call('run', [model, [source, { name, type, dims, data }], spec.output.name], [data.buffer]),
  )
}

/** The model's answer for one frame: textures of the crop's size, and how the frame's pixels map to theirs. */
interface Drawn {
  planes: [Uint8Array, Uint8Array, Uint8Array]
  toCrop: Affine
}

/** Distance from the crop's border within which the mask fades out, as shares of the crop: nothing, everything. */
const border = [0.02, 0.1] as const

/** Runs the model on a normalised crop, which it may take. */
type RunModel = (target: Float32Array<ArrayBuffer>) => Promise<Float32Array>

export class ModelSource implements SwapSource {
  readonly hasTargetLight = true
  readonly #spec: SwapperSpec
  readonly #color: ColorModel
  readonly #weights: Float32Array
  readonly #run: RunModel
  #drawn: Drawn | null = null

  constructor(spec: SwapperSpec, { color, options }: { color: ColorModel; options: SwapOptions }, run: RunModel) {
    this.#weights = wholeWeightsFor(options.keep.includes('mouth'))
    this.#spec = spec
    this.#color = color
    this.#run = run
  }

  async prepareFrame(frame: Planes, landmarks: Float32Array): Promise<void> {
    this.#drawn = null
    const { size, template } = this.#spec
    const map = cropMap(fivePoints(landmarks, 2), template, size)
    const target = normalise(cropOfPlanes(frame, this.#color, map, size), this.#spec)
    const crop = denormalise(await this.#run(target), this.#spec)
    this.#drawn = { planes: yuvOf(crop, this.#color), toCrop: inverse(map) }
  }

  swapFace({ box, under }: FaceCrop, landmarks: Float32Array): SwappedFace {
    if (!this.#drawn) throw new Error('no frame was prepared')
    const { planes, toCrop } = this.#drawn
    const { width, height } = box
    const small: Canvas = { left: box.left / 2, top: box.top / 2, width: width / 2, height: height / 2 }
    const part = small.width * small.height
    const drawn = { y: under.y.slice(), u: under.u.slice(), v: under.v.slice() }
    const mask = new Uint8Array(part)
    const { size } = this.#spec
    // Pixels of the crop for each pixel of the frame.
    const scale = Math.sqrt(Math.abs(toCrop.a * toCrop.e - toCrop.b * toCrop.d))
    const luma = reduced(planes[0], size, scale)
    rasterise(this.#mesh(landmarks, toCrop, 1, luma.width / size), box, luma, drawn.y, null)
    const [u, v] = [reduced(planes[1], size, scale * 2), reduced(planes[2], size, scale * 2)]
    const mesh = this.#mesh(landmarks, toCrop, 0.5, u.width / size)
    rasterise(mesh, small, u, drawn.u, mask, { texture: v, out: drawn.v })
    fadeAtBorder(mask, small, toCrop, size)
    return { ...drawn, mask, points: landmarks }
  }

  /** The face's mesh: a pixel of it shows the pixel of the crop to which the map leads. */
  #mesh(landmarks: Float32Array, toCrop: Affine, frameScale: number, cropScale: number): Mesh {
    const to = new Float32Array(meshPoints * 2)
    const from = new Float32Array(meshPoints * 2)
    for (let at = 0; at < to.length; at += 2) {
      const [x, y] = [landmarks[at] ?? 0, landmarks[at + 1] ?? 0]
      to[at] = x * frameScale
      to[at + 1] = y * frameScale
      from[at] = (toCrop.a * x + toCrop.b * y + toCrop.c) * cropScale
      from[at + 1] = (toCrop.d * x + toCrop.e * y + toCrop.f) * cropScale
    }
    return { triangles: wholeMesh, to, from, weights: this.#weights, flags: triangleFlags }
  }
}

/** A square plane, halved until about one of its pixels is drawn on each pixel. */
function reduced(data: Uint8Array, size: number, scale: number): Texture {
  let texture: Texture = { data, width: size, height: size }
  for (let left = scale; left > Math.SQRT2 && texture.width > 8; left /= 2) {
    const half = texture.width >> 1
    const smaller = { data: new Uint8Array(half * half), width: half, height: half }
    halvePlane(texture.data, texture.width, texture.height, smaller.data, half, half)
    texture = smaller
  }
  return texture
}

/** Fades the mask near the border of the crop, beyond which the model has drawn nothing. The flags stay. */
function fadeAtBorder(mask: Uint8Array, { left, top, width, height }: Canvas, toCrop: Affine, size: number): void {
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const at = row * width + column
      const weight = mask[at] ?? 0
      if (weight === 0) continue
      const [x, y] = [(left + column + 0.5) * 2, (top + row + 0.5) * 2]
      const u = (toCrop.a * x + toCrop.b * y + toCrop.c) / size
      const v = (toCrop.d * x + toCrop.e * y + toCrop.f) / size
      const inside = smoothstep(...border, Math.min(u, v, 1 - u, 1 - v))
      if (inside === 1) continue
      const kept = ((weight & 252) * inside) & 252
      mask[at] = kept < 4 ? 0 : kept | (weight & 3)
    }
  }
}
