/**
 * @file The small interface that a way to swap faces has. Finding and following faces, light and colour, what stays in
 * front, blending, and everything about files is shared; a way to swap only draws one face in the place of another.
 */
import type { Canvas, ColorModel, Planes } from '../media/pixels/planes.ts'
import type { SourceCut } from '../source/source-face.ts'

export interface SwapMethod {
  /**
   * Whatever is needed once for a face and a video.
   * @param cut the cleaned face, turned to the front
   * @param color of the video
   */
  prepareSource(cut: SourceCut, color: ColorModel): SwapSource
}

export interface SwapSource {
  /**
   * Draws the source's face in the place of the target's. What is not drawn is left as the frame has it.
   * Must depend on nothing but its arguments: a swap that goes on after a crash draws the same pixels.
   * @param landmarks x, y of the mesh's points in the frame
   */
  swapFace(crop: FaceCrop, landmarks: Float32Array): SwappedFace
}

/** The part of a frame that holds the face. */
export interface FaceCrop {
  frame: Planes
  /** In the frame's pixels; even edges. */
  box: Canvas
  /** Width of the face in the frame's pixels. */
  faceWidth: number
}

/** Of the size of the crop; valid until the next face is drawn. */
export interface SwappedFace {
  y: Uint8Array
  /** Chroma and mask have half the size. */
  u: Uint8Array
  v: Uint8Array
  /** 0 where nothing was drawn, else the weight, 4…252, with flags in the two lowest bits (`skinFlag`, `hairlineFlag`). */
  mask: Uint8Array
}
