/** @file Arithmetic of two videos on one clock and of single frames. Times in seconds. */

/** What keeps the follower with its master: `seek` for a jump, `rate` for the time until the next look. */
export type Correction = { readonly seek: number } | { readonly rate: number }

const jump = 0.3
const nearlyTogether = 0.012

/**
 * @param lead how far the follower is ahead of the master (negative: behind)
 * Small distances are made up by playing a little faster or slower, which nobody sees; a seek would show.
 */
export function correct(lead: number, master: number, rate = 1): Correction {
  if (Math.abs(lead) > jump) return { seek: master }
  if (Math.abs(lead) < nearlyTogether) return { rate }
  return { rate: rate * (1 - Math.max(-0.2, Math.min(0.2, lead * 2))) }
}

/** Number of the frame that is shown at a time. */
export const frameAt = (time: number, fps: number): number => Math.floor(time * fps + 1e-3)

/** A time in the middle of a frame: seeking to its very beginning may show the one before. */
export function frameTime(frame: number, fps: number, duration: number): number {
  const last = Math.max(0, Math.ceil(duration * fps - 1e-3) - 1)
  return (Math.max(0, Math.min(frame, last)) + 0.5) / fps
}
