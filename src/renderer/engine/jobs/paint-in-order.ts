/** @file The frames of a window are painted as they settle, several at once, and are done with in their order. */
import { framesToSettle, pixelsBefore } from '../track/follow.ts'
import { smoothReach } from '../track/smoothing.ts'
import type { FrameWindow, WindowFrame } from './frame-window.ts'

/** Tracks of painted frames that are still asked for. */
const tracksKept = smoothReach + 4

/**
 * Frames that a window has to hold, or a swap could stand still: those before a run that goes on, those with the painters,
 * and from the next one to paint on all that smoothing and following have to see first.
 */
export const leastFrames = (atOnce: number): number => pixelsBefore + (atOnce - 1) + smoothReach + framesToSettle

export interface Painting<P> {
  frames: FrameWindow
  /** Index of the first. */
  start: number
  /** Frames that may be under way. */
  atOnce: number
  paint: (frame: WindowFrame) => Promise<P>
  /** Asked for one frame after the other; then its pixels are done with. */
  finish: (painted: P) => Promise<void>
}

/** Runs until the window's last frame is finished. */
export async function paintInOrder<P extends { frame: WindowFrame }>(painting: Painting<P>): Promise<void> {
  const { frames, start, atOnce } = painting
  const underWay: Promise<P>[] = []
  const finishFirst = async (): Promise<void> => {
    const painted = await underWay.shift()
    if (!painted) return
    await painting.finish(painted)
    const { index } = painted.frame
    if (index - start < pixelsBefore) frames.release(index - pixelsBefore, tracksKept)
    frames.release(index, tracksKept)
  }
  for (let index = start; await frames.ready(index, smoothReach); index += 1) {
    const frame = frames.frame(index)
    if (!frame) throw new Error('a frame went missing')
    const painted = painting.paint(frame)
    // It is awaited when its turn comes; what fails before that is the failure to report.
    painted.catch(() => undefined)
    underWay.push(painted)
    if (underWay.length >= atOnce) await finishFirst()
  }
  while (underWay.length > 0) await finishFirst()
}
