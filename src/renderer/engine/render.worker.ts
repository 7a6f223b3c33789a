/** @file A render worker: renders one source face onto frames. Swaps use it one after the other. */
import { planesOver } from './media/pixels/planes.ts'
import { FaceRenderer } from './render/face-renderer.ts'
import { openSource } from './render/open-source.ts'
import type { RenderMethods, RenderSetup } from './render/render-methods.ts'
import { serve } from './common/rpc.ts'

self.onmessage = ({ data: { port, face, color, options } }: MessageEvent<RenderSetup>) => {
  const renderer = new FaceRenderer(openSource(face, color, options), options)
  const methods: RenderMethods = {
    async render({ buffer, width, height, landmarks, opacity, occlusions }) {
      const stages = await renderer.prepareAndRender(planesOver(buffer, width, height), landmarks, opacity, occlusions)
      return { buffer, stages }
    },
  }
  serve(port, methods, ({ buffer }) => [buffer])
}
