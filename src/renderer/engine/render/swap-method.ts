/**
 * @file The interface of a swap method. It only draws one face in place of another. Detection, tracking, colour
 * transfer, occlusion, blending and files are shared by all methods.
 */
import type { Canvas } from '../common/canvas.ts'
import type { Planes } from '../media/pixels/planes.ts'
import type { ProjectedOcclusion } from '../occlusion/occlusion-map.ts'

/** A source face, prepared once per video in the thread that draws it. */
export interface SwapSource {
  /** Drawn faces have the video's light, which is therefore not transferred to them. */
  readonly hasTargetLight?: boolean
  /** How deep brows may be, as a share of the picture's, in proportion to the skin's light, 0…1. Not given: all of it. */
  readonly browStrength?: number
  /** Asynchronous work for the next call of `swapFace`, which has the same frame and landmarks. */
  prepareFrame?(frame: Planes, landmarks: Float32Array): Promise<void>
  /**
   * Draws the source's face in place of the target's. Pixels outside of it keep the frame's values.
   * The result must depend only on the arguments, so that a resumed swap draws the same pixels.
   * @param landmarks x, y of the 478 landmarks in the frame
   */
  swapFace(crop: FaceCrop, landmarks: Float32Array): SwappedFace
  /**
   * Draws the eyes of the face last drawn into the frame, before the face is blended over their edges. The arguments are
   * those of `swapFace` and `FaceRenderer.render`.
   * @returns where it drew, in the frame's pixels, with even edges
   */
  drawEyes?(
    crop: FaceCrop,
    landmarks: Float32Array,
    opacity: number,
    occlusions: readonly ProjectedOcclusion[],
  ): readonly Canvas[]
}

/** The part of a frame that holds the face. */
export interface FaceCrop {
  frame: Planes
  /** In the frame's pixels, with even edges. */
  box: Canvas
  /** The frame's pixels in the box, copied; rows have no padding. */
  under: Planes
  /** Width of the face in the frame's pixels. */
  faceWidth: number
}

/** Planes of the crop's size. Valid until the next face is drawn. */
export interface DrawnPlanes {
  y: Uint8Array
  /** Chroma and mask have half the width and height. */
  u: Uint8Array
  v: Uint8Array
  /**
   * 0 where nothing was drawn, else the weight, 4…252, with flags in the two lowest bits (`skinFlag`, `hairlineFlag`).
   */
  mask: Uint8Array
}

export interface SwappedFace extends DrawnPlanes {
  /** x, y of the landmarks as they were drawn, in the frame. */
  points: Float32Array
}
