/** @file A render worker: renders one source face onto frames. Each swap has its own workers. */
import { planesOver } from './media/pixels/planes.ts'
import { FaceRenderer } from './render/face-renderer.ts'
import { meshSwap } from './render/mesh-swap.ts'
import type { RenderMethods, RenderSetup } from './render/render-methods.ts'
import { serve } from './common/rpc.ts'

self.onmessage = ({ data: { port, cut, person, color, options } }: MessageEvent<RenderSetup>) => {
  const renderer = new FaceRenderer(meshSwap.prepareSource(cut, person, color, options), options)
  const methods: RenderMethods = {
    render({ buffer, width, height, landmarks, opacity, occlusions }) {
      const stages = renderer.render(planesOver(buffer, width, height), landmarks, opacity, occlusions)
      return { buffer, stages }
    },
  }
  serve(port, methods, ({ buffer }) => [buffer])
}
