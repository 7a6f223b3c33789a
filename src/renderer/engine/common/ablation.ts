/**
 * @file What the quality benchmark turns off to see whether its gates notice. It builds the engine with another version
 * of this module; in the product everything is on.
 */
export interface Ablation {
  /** Faces are rendered at all. */
  render: boolean
  /** Points are smoothed over time. */
  smooth: boolean
  /** The mask fades towards its edge. */
  feather: boolean
}

export const ablation: Ablation = { render: true, smooth: true, feather: true }
