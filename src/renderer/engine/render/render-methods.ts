/** @file What a render worker answers. */
import type { ProjectedOcclusion } from '../occlusion/occlusion-map.ts'
import type { RenderStages } from './face-renderer.ts'

/** A frame to be rendered, in I420. */
export interface FrameToRender {
  /** Goes to the worker, and comes back. */
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
