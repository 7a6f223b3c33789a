/** @file Takes a picture of a face that a scan found. */
import { VideoSampleSink } from 'mediabunny'
import { MienError } from '@shared/mien-error.ts'
import { mediaError, openMedia } from '../../media/demux/media-input.ts'
import { writeFile } from '../../media/job-files.ts'
import { draw, toJpeg } from '../../media/pixels/picture.ts'
import type { JobContext, RequestOf } from '../job-context.ts'

/** Pixels. */
const side = 128
/** Milliseconds; times of places are rounded. */
const tolerance = 1

/** @throws MienError the errors of `openMedia` and `mediaError` */
export async function pictureFace(request: RequestOf<'picture-face'>, { signal }: JobContext): Promise<void> {
  const media = await openMedia(request.source, signal)
  const [ms, x, y, size] = request.place
  try {
    const time = media.facts.firstTimestamp + (ms + tolerance) / 1000
    const sample = await new VideoSampleSink(media.video).getSample(time)
    if (!sample) throw new MienError('video-damaged', { reason: 'no such frame' })
    const canvas = draw(side, side, (context) => {
      context.imageSmoothingQuality = 'high'
      context.scale(side / size, side / size)
      context.translate(size / 2 - x, size / 2 - y)
      sample.draw(context, 0, 0, media.facts.width, media.facts.height)
    })
    sample.close()
    await writeFile(request.folder, request.file, await toJpeg(canvas))
  } catch (error) {
    throw mediaError(error, signal)
  } finally {
    media.close()
  }
}
