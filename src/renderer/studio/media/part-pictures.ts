/** @file The frames of a part of a video as pictures in memory, so that they can be shown again and again in step. */
import { ALL_FORMATS, EncodedPacketSink, Input, UrlSource, VideoSampleSink } from 'mediabunny'
import type { TimedPicture } from '../logic/pictures/timed-picture.ts'

/** Larger pictures are made smaller, so that all of a part need at most so many bytes. */
const maxBytes = 256e6

/**
 * @param part in milliseconds since the video's first frame, as the engine cuts it (see `rangeSchema`)
 * @param size in pixels; pictures cover it
 * @returns ascending; those decoded so far if the signal aborts
 */
export async function readPart(
  url: string,
  part: { fromMs: number; toMs: number },
  size: { width: number; height: number },
  signal: AbortSignal,
): Promise<TimedPicture[]> {
  const source = new UrlSource(url, { getRetryDelay: () => null, handleUnhandledError: () => undefined })
  const input = new Input({ source, formats: ALL_FORMATS })
  const pictures: TimedPicture[] = []
  try {
    const track = await input.getPrimaryVideoTrack()
    if (track === null || !(await track.canDecode())) return []
    // Players don't show what is before the first key frame.
    const start = await new EncodedPacketSink(track).getFirstKeyPacket({ metadataOnly: true })
    const first = start?.timestamp ?? (await track.getFirstTimestamp())
    const { averagePacketRate } = await track.computePacketStats(100)
    const count = Math.max(1, (averagePacketRate * (part.toMs - part.fromMs)) / 1000)
    const msOf = (time: number): number => Math.round((time - first) * 1000)
    let from: number | null = null
    // The sink begins with the frame shown at the start.
    for await (const sample of new VideoSampleSink(track).samples(first + (part.fromMs - 1) / 1000)) {
      const { timestamp, displayWidth, displayHeight } = sample
      const isBeyond = msOf(timestamp) >= part.toMs || signal.aborted
      if (msOf(timestamp) >= part.fromMs && !isBeyond) {
        from ??= timestamp
        const cover = Math.max(size.width / displayWidth, size.height / displayHeight)
        const affordable = Math.sqrt(maxBytes / (count * displayWidth * displayHeight * 4))
        const scale = Math.min(1, cover, affordable)
        const canvas = new OffscreenCanvas(
          Math.max(1, Math.round(displayWidth * scale)),
          Math.max(1, Math.round(displayHeight * scale)),
        )
        const context = canvas.getContext('2d', { alpha: false })
        if (context) sample.draw(context, 0, 0, canvas.width, canvas.height)
        pictures.push({ time: timestamp - from, picture: canvas.transferToImageBitmap() })
      }
      sample.close()
      if (isBeyond) break
    }
    return pictures
  } finally {
    input.dispose()
  }
}
