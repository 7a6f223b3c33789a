/** @file Messages of a render worker. */
import type { SwapOptions } from '@shared/options/swap-options.ts'
import type { ColorModel } from '../media/pixels/planes.ts'
import type { ProjectedOcclusion } from '../occlusion/occlusion-map.ts'
import type { RenderStages } from './face-renderer.ts'
import type { DrawnFace } from './open-source.ts'

/** The first message to a worker. */
export interface RenderSetup {
  port: MessagePort
  /** What is drawn over each tracked face. */
  faces: DrawnFace[]
  /** Colour model of the video. */
  color: ColorModel
  options: SwapOptions
}

/** A frame to render, in I420. */
export interface FrameToRender {
  /** Transferred to the worker and back. */
  buffer: ArrayBuffer
  width: number
  height: number
  /** In the order in which they are drawn. */
  faces: FaceToRender[]
}

export interface FaceToRender {
  /** Index in `RenderSetup.faces`. */
  face: number
  /** x, y of the mesh's points in coded pixels. */
  landmarks: Float32Array
  /** 0…1 */
  opacity: number
  occlusions: ProjectedOcclusion[]
}

export type RenderMethods = {
  render: (frame: FrameToRender) => Promise<{ buffer: ArrayBuffer; stages: RenderStages[] }>
}
