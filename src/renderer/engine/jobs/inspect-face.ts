import type { FaceInspection } from '@shared/engine.ts'
import { outlineOf, regionOfPoints } from '../face/landmarks.ts'
import { writeFile } from '../media/job-files.ts'
import { cutSquare, fetchPicture, toJpeg } from '../media/picture.ts'
import { findSourceFaces } from '../source/prepare-source.ts'
import type { JobContext, RequestOf } from './job.ts'

/** Finds the faces of a picture and leaves `face.jpg`. */
export async function inspectFace(request: RequestOf<'inspect-face'>, context: JobContext): Promise<FaceInspection> {
  const { picture, faces } = await findSourceFaces(await fetchPicture(request.source, context.signal), context.analyst)
  const [largest] = faces
  if (largest) {
    await writeFile(request.folder, 'face.jpg', await toJpeg(cutSquare(picture, regionOfPoints(largest.points), 256)))
  }
  const { width, height } = picture
  picture.close()
  return { width, height, faces: faces.map(({ points }) => outlineOf(points)) }
}
