/** @file A paint worker: lays one face over frames that are handed to it. Each swap has its own. */
import type { ColorModel } from './media/planes.ts'
import { planesOver } from './media/planes.ts'
import { FaceRenderer } from './render/face-renderer.ts'
import { meshSwap } from './render/mesh-swap.ts'
import type { PaintMethods } from './render/paint-methods.ts'
import { serve } from './rpc.ts'
import type { SourceCut } from './source/source-face.ts'

export interface PaintSetup {
  port: MessagePort
  cut: SourceCut
  /** Of the video. */
  color: ColorModel
}

self.onmessage = ({ data: { port, cut, color } }: MessageEvent<PaintSetup>) => {
  const renderer = new FaceRenderer(meshSwap.prepareSource(cut, color))
  const methods: PaintMethods = {
    paint({ buffer, width, height, landmarks, opacity, occlusions }) {
      const stages = renderer.paint(planesOver(buffer, width, height), landmarks, opacity, occlusions)
      return { buffer, stages }
    },
  }
  serve(port, methods, ({ buffer }) => [buffer])
}
