/** @file Renders the frames of a window in parallel as their tracks become final, and finishes them in order. */
import { framesToSettle, pixelsBefore } from '../../track/follow.ts'
import { smoothReach } from '../../track/smoothing.ts'
import type { FrameWindow, WindowFrame } from '../../track/frame-window.ts'

/** Tracks kept behind the last finished frame; smoothing still reads them. */
const tracksKept = smoothReach + 4

/**
 * Minimum window size that avoids a deadlock: lead-in of a resumed run + frames in render workers + look-ahead of
 * smoothing and tracking.
 */
export const minFrames = (atOnce: number): number => pixelsBefore + (atOnce - 1) + smoothReach + framesToSettle

export interface Rendering<P> {
  frames: FrameWindow
  /** Index of the first frame to render. */
  start: number
  /** Maximum number of frames rendered at the same time. */
  atOnce: number
  render: (frame: WindowFrame) => Promise<P>
  /** Called for one frame at a time, in order. Its pixels are released afterwards. */
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
    // Awaited in its turn. Until then, avoid an unhandled rejection.
    rendered.catch(() => undefined)
    underWay.push(rendered)
    if (underWay.length >= atOnce) await finishFirst()
  }
  while (underWay.length > 0) await finishFirst()
}
