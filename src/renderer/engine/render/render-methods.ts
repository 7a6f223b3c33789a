/** @file Messages of a render worker. */
import type { SwapOptions } from '@shared/swap-options.ts'
import type { ColorModel } from '../media/pixels/planes.ts'
import type { ProjectedOcclusion } from '../occlusion/occlusion-map.ts'
import type { SourceCut } from '../source/source-face.ts'
import type { RenderStages } from './face-renderer.ts'

/** The first message to a worker. */
export interface RenderSetup {
  port: MessagePort
  cut: SourceCut
  /** See `SwapMethod.prepareSource`. */
  person: Float32Array | null
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
  /** x, y of the mesh's points in coded pixels. */
  landmarks: Float32Array
  /** 0…1 */
  opacity: number
  occlusions: ProjectedOcclusion[]
}

export type RenderMethods = {
  render: (frame: FrameToRender) => { buffer: ArrayBuffer; stages: RenderStages }
}
