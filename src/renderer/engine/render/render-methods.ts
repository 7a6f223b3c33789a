/** @file RPC methods of a render worker. */
import type { ProjectedOcclusion } from '../occlusion/occlusion-map.ts'
import type { RenderStages } from './face-renderer.ts'

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
