/** @file The frames of a window are rendered as they settle, several at once, and are done with in their order. */
import { framesToSettle, pixelsBefore } from '../track/follow.ts'
import { smoothReach } from '../track/smoothing.ts'
import type { FrameWindow, WindowFrame } from '../track/frame-window.ts'

/** Tracks of rendered frames that are still asked for. */
const tracksKept = smoothReach + 4

/**
 * Frames that a window has to hold, or a swap could stand still: those before a run that goes on, those with the renderWorkers,
 * and from the next one to render on all that smoothing and following have to see first.
 */
export const minFrames = (atOnce: number): number => pixelsBefore + (atOnce - 1) + smoothReach + framesToSettle

export interface Rendering<P> {
  frames: FrameWindow
  /** Index of the first. */
  start: number
  /** Frames that may be under way. */
  atOnce: number
  render: (frame: WindowFrame) => Promise<P>
  /** Asked for one frame after the other; then its pixels are done with. */
  finish: (rendered: P) => Promise<void>
}

/** Runs until the window's last frame is finished. */
export async function renderInOrder<P extends { frame: WindowFrame }>(rendering: Rendering<P>): Promise<void> {
  const { frames, start, atOnce } = rendering
  const underWay: Promise<P>[] = []
  const finishFirst = async (): Promise<void> => {
    const rendered = await underWay.shift()
    if (!rendered) return
    await rendering.finish(rendered)
    const { index } = rendered.frame
    if (index - start < pixelsBefore) frames.release(index - pixelsBefore, tracksKept)
    frames.release(index, tracksKept)
  }
  for (let index = start; await frames.ready(index, smoothReach); index += 1) {
    const frame = frames.frame(index)
    if (!frame) throw new Error('a frame went missing')
    const rendered = rendering.render(frame)
    // It is awaited when its turn comes; what fails before that is the failure to report.
    rendered.catch(() => undefined)
    underWay.push(rendered)
    if (underWay.length >= atOnce) await finishFirst()
  }
  while (underWay.length > 0) await finishFirst()
}
