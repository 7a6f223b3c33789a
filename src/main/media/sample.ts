import { join } from 'node:path'

/** Paths of the bundled sample media: a face, and a 720p video. */
export const samplePaths = (resourcesDir: string): { face: string; video: string } => ({
  face: join(resourcesDir, 'sample', 'ellen-ochoa.jpg'),
  video: join(resourcesDir, 'sample', 'astronaut-clip.mp4'),
})
