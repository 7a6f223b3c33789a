/** @file Writes one frame of a video as a picture. */
import { VideoSampleSink } from 'mediabunny'
import { MienError } from '@shared/mien-error.ts'
import { mediaError, openMedia } from '../../media/demux/media-input.ts'
import { writeFile } from '../../media/job-files.ts'
import { draw } from '../../media/pixels/picture.ts'
import type { JobContext, RequestOf } from '../job-context.ts'

/** Seconds; containers round times. */
const tolerance = 1e-6

/** Writes `frame.png`, upright and in full size. @throws MienError the errors of `openMedia` and `mediaError` */
export async function extractFrame(request: RequestOf<'extract-frame'>, { signal }: JobContext): Promise<void> {
  const media = await openMedia(request.source, signal)
  try {
    const sample = await new VideoSampleSink(media.video).getSample(request.time + tolerance)
    if (!sample) throw new MienError('video-damaged', { reason: 'no such frame' })
    const { displayWidth, displayHeight } = sample
    const canvas = draw(displayWidth, displayHeight, (context) => {
      sample.draw(context, 0, 0, displayWidth, displayHeight)
    })
    sample.close()
    await writeFile(request.folder, 'frame.png', await canvas.convertToBlob({ type: 'image/png' }))
  } catch (error) {
    throw mediaError(error, signal)
  } finally {
    media.close()
  }
}
