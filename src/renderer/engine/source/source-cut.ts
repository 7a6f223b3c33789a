/** @file What is cut out of a picture of the source: the face, and its eyes. */
import type { Pose } from '../face/pose.ts'

/** A face crop: RGBA pixels and the face's landmarks in them. Alpha says how sure a pixel is the face's own. */
export interface SourceCut {
  rgba: Uint8ClampedArray
  width: number
  height: number
  /** x, y, z of the 478 landmarks in the cut's pixels. */
  points: Float32Array
  /** The person's landmarks by all pictures, laid over `points`; their proportions count. */
  shape: Float32Array
  /** Null: neither eye can be used. */
  eyes: readonly [SourceEye, SourceEye] | null
  /** The face from several sides, all with `points` and in one light. The first is the cut itself. Empty: from one side. */
  views: readonly SourceView[]
}

export interface SourceView {
  /** Of the cut's size. What the view doesn't show is as in the first one. */
  rgba: Uint8ClampedArray
  /** How the head was held, relative to `SourceCut.shape`. */
  pose: Pose
}

/** The picture of one eye. Points are in its pixels. */
export interface SourceEye {
  rgba: Uint8ClampedArray
  /** Width and height. */
  side: number
  /** x, y of the 16 points of `Eye.lids`, in that order. */
  lids: Float32Array
  iris: Iris
  /** The picture shows the other eye and is used as its mirror image. */
  isMirrored: boolean
}

export interface Iris {
  /** Centre. */
  x: number
  y: number
  radius: number
}
