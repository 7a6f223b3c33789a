/** @file Small pictures of a video, evenly spread over it. */
import { ALL_FORMATS, EncodedPacketSink, Input, UrlSource, VideoSampleSink } from 'mediabunny'

/**
 * Draws pictures side by side, each cropped to its place. They are key frames, because these decode without others.
 * @param signal ends it; what is drawn stays
 */
export async function drawFilmStrip(
  url: string,
  canvas: HTMLCanvasElement,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  const context = canvas.getContext('2d', { alpha: false })
  const source = new UrlSource(url, { getRetryDelay: () => null, handleUnhandledError: () => undefined })
  const input = new Input({ source, formats: ALL_FORMATS })
  try {
    const track = await input.getPrimaryVideoTrack()
    if (context === null || track === null || !(await track.canDecode())) return
    const [packets, samples] = [new EncodedPacketSink(track), new VideoSampleSink(track)]
    // Players don't show what is before the first key frame.
    const start = await packets.getFirstKeyPacket({ metadataOnly: true })
    const first = start?.timestamp ?? (await track.getFirstTimestamp())
    const length = (await track.computeDuration()) - first
    const width = canvas.width / count
    let key = -Infinity
    for (let index = 0; index < count && !signal.aborted; index += 1) {
      const time = first + ((index + 0.5) / count) * length
      const packet = await packets.getKeyPacket(time, { metadataOnly: true })
      if (packet === null) continue
      if (packet.timestamp === key) {
        // The same picture as before.
        context.drawImage(canvas, (index - 1) * width, 0, width, canvas.height, index * width, 0, width, canvas.height)
        continue
      }
      key = packet.timestamp
      const sample = await samples.getSample(key)
      if (sample === null) continue
      const { displayWidth, displayHeight } = sample
      const scale = Math.max(width / displayWidth, canvas.height / displayHeight)
      const [shownWidth, shownHeight] = [width / scale, canvas.height / scale]
      const [x, y] = [(displayWidth - shownWidth) / 2, (displayHeight - shownHeight) / 2]
      sample.draw(context, x, y, shownWidth, shownHeight, index * width, 0, width, canvas.height)
      sample.close()
    }
  } finally {
    input.dispose()
  }
}
