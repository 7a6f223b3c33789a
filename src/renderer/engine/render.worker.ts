/** @file A render worker: renders source faces onto frames. Swaps use it one after the other. */
import { planesOver } from './media/pixels/planes.ts'
import {
  FaceRenderer,
  type RenderStages,
  openSource,
  type RenderMethods,
  type RenderSetup,
} from './render/face-renderer.ts'
import { serve } from './common/rpc.ts'

self.onmessage = ({ data: { port, faces, color, options } }: MessageEvent<RenderSetup>) => {
  const renderers = faces.map((face) => new FaceRenderer(openSource(face, color, options), options))
  const methods: RenderMethods = {
    async render({ buffer, width, height, faces: wanted }) {
      const planes = planesOver(buffer, width, height)
      const all: RenderStages[] = []
      for (const { face, landmarks, opacity, occlusions } of wanted) {
        const stages = await renderers[face]?.prepareAndRender(planes, landmarks, opacity, occlusions)
        if (stages) all.push(stages)
      }
      return { buffer, stages: all }
    },
  }
  serve(port, methods, ({ buffer }) => [buffer])
}
