import type { FaceInspection } from '@shared/engine/engine.ts'
import { outlineOf, regionOfPoints } from '../../face/landmarks.ts'
import { analysisInput, cutSquare } from '../../face/analysis-input.ts'
import type { Region } from '../../face/region.ts'
import { writeFile } from '../../media/job-files.ts'
import { fetchPicture, toJpeg, type Drawable } from '../../media/pixels/picture.ts'
import { sharpnessOf } from '../../render/sharpness.ts'
import { findSourceFaces, judgeFace } from '../../source/prepare-source.ts'
import { expectSamePerson } from '../../source/same-person.ts'
import type { JobContext, RequestOf } from '../job-context.ts'

/** Side in pixels of the face's inner half, in which sharpness is measured. */
const innerSide = 128
/**
 * Sharpness (see `sharpnessOf`) below which a face is blurred. Of 47 pictures only the average of many faces has less. Blurred
 * by a fiftieth to a twentieth of the face's width (standard deviation), 124 of 127 have less.
 */
const blurredBelow = 0.28

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
    const region = regionOfPoints(faces[0].points)
    if (isBlurred(picture, region)) flaws.push('blurred')
    const face = cutSquare(picture, region, 256)
    await writeFile(request.folder, 'face.jpg', await toJpeg(face))
    return { width, height, faces: faces.map(({ points }) => outlineOf(points)), flaws }
  } finally {
    picture.close()
  }
}

function isBlurred(picture: Drawable, region: Region): boolean {
  const inner = cutSquare(picture, { ...region, size: region.size / 2 }, innerSide)
  const { patch } = analysisInput(inner, { x: 0, y: 0, width: innerSide, height: innerSide }, innerSide)
  return sharpnessOf(patch.y, innerSide, innerSide) < blurredBelow
}
