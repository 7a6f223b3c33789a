import { join } from 'node:path'

/** The media that come with Mien: a face, and a video of 720p. */
export const samplePaths = (resourcesDir: string): { face: string; video: string } => ({
  face: join(resourcesDir, 'sample', 'mona-lisa.jpg'),
  video: join(resourcesDir, 'sample', 'astronaut-clip.mp4'),
})
