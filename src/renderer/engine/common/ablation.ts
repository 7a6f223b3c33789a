/**
 * @file Switches that the quality benchmark turns off to check that its gates notice. It builds the engine with another
 * version of this module; in the product everything is on.
 */
export interface Ablation {
  /** Render faces. */
  render: boolean
  /** Smooth landmarks over time. */
  smooth: boolean
  /** Fade the mask towards its edge. */
  feather: boolean
}

export const ablation: Ablation = { render: true, smooth: true, feather: true }
