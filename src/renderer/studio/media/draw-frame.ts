import type { VideoSample } from 'mediabunny'

/**
 * Draws a frame as large as it is seen and not larger: without a graphics chip, half of the work is in these pixels. The
 * canvas keeps the frame's shape.
 */
export function drawFrame(frame: VideoSample, canvas: HTMLCanvasElement): void {
  const { displayWidth, displayHeight } = frame
  const scale = Math.min(
    1,
    Math.max(canvas.clientWidth / displayWidth, canvas.clientHeight / displayHeight) * devicePixelRatio,
  )
  const width = Math.max(1, Math.round(displayWidth * scale))
  const height = Math.max(1, Math.round(displayHeight * scale))
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
  const context = canvas.getContext('2d', { alpha: false })
  if (context !== null) frame.draw(context, 0, 0, width, height)
}
