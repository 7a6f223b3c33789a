/** @file What a swap is measured against: the same file read, decoded, encoded and written, with nothing in between. */
import { VideoSampleSink } from 'mediabunny'
import { defaultOutput } from '../../../src/shared/options/default-options.ts'
import { openMedia } from '../../../src/renderer/engine/media/demux/media-input.ts'
import { encodingOf } from '../../../src/renderer/engine/media/encode/even-frame.ts'
import { MediaOutput } from '../../../src/renderer/engine/media/encode/media-output.ts'
import { SegmentEncoder } from '../../../src/renderer/engine/media/encode/segment-encoder.ts'

declare global {
  interface Window {
    codecAlone: (video: string, folder: string) => Promise<{ frames: number; ms: number }>
  }
}

window.codecAlone = async (video, folder) => {
  const started = performance.now()
  const media = await openMedia(video, new AbortController().signal)
  const output = await MediaOutput.open(folder, media)
  const encoder = new SegmentEncoder(encodingOf(media.facts, defaultOutput), 'software')
  let frames = 0
  for await (const sample of new VideoSampleSink(media.video).samples()) {
    await encoder.add(sample)
    sample.close()
    frames += 1
  }
  await output.add(await encoder.finish())
  await output.finish()
  media.close()
  return { frames, ms: performance.now() - started }
}
