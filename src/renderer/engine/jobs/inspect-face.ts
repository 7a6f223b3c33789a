import type { FaceInspection } from '@shared/engine.ts'
import { flawsOf } from '../face/flaws.ts'
import { outlineOf, regionOfPoints } from '../face/landmarks.ts'
import { writeFile } from '../media/job-files.ts'
import { cutSquare, fetchPicture, toJpeg } from '../media/picture.ts'
import { findSourceFaces } from '../source/prepare-source.ts'
import type { JobContext, RequestOf } from './job.ts'

/**
 * Finds the faces of a picture, judges the largest, and leaves `face.jpg`.
 * @throws MienError what `findSourceFaces` says, `face-turned-away`, `face-covered`
 */
export async function inspectFace(request: RequestOf<'inspect-face'>, context: JobContext): Promise<FaceInspection> {
  const { picture, look, faces } = await findSourceFaces(
    await fetchPicture(request.source, context.signal),
    context.analyst,
  )
  const { width, height } = picture
  try {
    const [largest] = faces
    const region = largest && regionOfPoints(largest.points)
    const flaws = region ? flawsOf(largest.points, region, await context.analyst.call('segment', [look, region])) : []
    if (region) await writeFile(request.folder, 'face.jpg', await toJpeg(cutSquare(picture, region, 256)))
    return { width, height, faces: faces.map(({ points }) => outlineOf(points)), flaws }
  } finally {
    picture.close()
  }
}
