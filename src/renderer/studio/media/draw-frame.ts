import type { VideoSample } from 'mediabunny'

/**
 * Draws a frame no larger than its size on screen: without a GPU, these pixels are half of the work. The canvas keeps
 * the frame's aspect ratio.
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

/** Draws what another canvas shows, in its size. */
export function copyPicture(from: HTMLCanvasElement, to: HTMLCanvasElement): void {
  to.width = from.width
  to.height = from.height
  to.getContext('2d', { alpha: false })?.drawImage(from, 0, 0)
}
