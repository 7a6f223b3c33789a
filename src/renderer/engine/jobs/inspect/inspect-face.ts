import type { FaceInspection } from '@shared/engine/engine.ts'
import { outlineOf, regionOfPoints } from '../../face/landmarks.ts'
import { cutSquare } from '../../face/picture-crops.ts'
import { writeFile } from '../../media/job-files.ts'
import { fetchPicture, toJpeg } from '../../media/pixels/picture.ts'
import { findSourceFaces, judgeFace } from '../../source/prepare-source.ts'
import { expectSamePerson } from '../../source/same-person.ts'
import type { JobContext, RequestOf } from '../job-context.ts'

/**
 * Finds the faces in a picture, judges the largest and writes `face.jpg` (256 × 256 pixels).
 * @throws MienError the errors of `findSourceFaces`, `judgeFace` and `expectSamePerson`
 */
export async function inspectFace(request: RequestOf<'inspect-face'>, context: JobContext): Promise<FaceInspection> {
  const found = await findSourceFaces(await fetchPicture(request.source, context.signal), context.analyst)
  const { picture, faces } = found
  const { width, height } = picture
  try {
    const { flaws } = await judgeFace(found, context.analyst)
    if (request.like !== null) await expectSamePerson(found, flaws, request.like, context)
    const face = cutSquare(picture, regionOfPoints(faces[0].points), 256)
    await writeFile(request.folder, 'face.jpg', await toJpeg(face))
    return { width, height, faces: faces.map(({ points }) => outlineOf(points)), flaws }
  } finally {
    picture.close()
  }
}
