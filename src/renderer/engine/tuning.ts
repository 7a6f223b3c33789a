/**
 * @file What the quality benchmark turns off to see whether its gates notice. It builds the engine with another version
 * of this module; in the product everything is on.
 */
export interface Tuning {
  /** Faces are rendered at all. */
  paint: boolean
  /** Points are smoothed over time. */
  smooth: boolean
  /** The mask fades towards its edge. */
  feather: boolean
}

export const tuning: Tuning = { paint: true, smooth: true, feather: true }
