/** @file Opens what a swap draws, in the thread that draws it. */
import type { SwapOptions } from '@shared/options/swap-options.ts'
import type { ColorModel } from '../media/pixels/planes.ts'
import { meshSwap, type MeshFace } from './mesh-swap.ts'
import { modelSwap, type ModelFace } from './model-swap.ts'
import type { SwapSource } from './swap-method.ts'

export type DrawnFace = MeshFace | ModelFace

/** @param color colour model of the video */
export const openSource = (face: DrawnFace, color: ColorModel, options: SwapOptions): SwapSource =>
  face.kind === 'mesh' ? meshSwap.prepareSource(face, color, options) : modelSwap.prepareSource(face, color, options)

/** Transfer list of a face. */
export const portsOf = (face: DrawnFace): MessagePort[] => (face.kind === 'model' ? [face.port] : [])
