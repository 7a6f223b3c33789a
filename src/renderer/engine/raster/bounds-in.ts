import type { Canvas } from '../common/canvas.ts'

/**
 * Bounds of the first `count` points with a margin of 2 pixels, clipped to the frame, on even pixels; null if too small.
 * @param points x, y pairs in the frame's pixels
 */
export function boundsIn(points: Float32Array, count: number, frame: { width: number; height: number }): Canvas | null {
  let left = Infinity
  let top = Infinity
  let right = -Infinity
  let bottom = -Infinity
  for (let at = 0; at < count * 2; at += 2) {
    const x = points[at] ?? 0
    const y = points[at + 1] ?? 0
    if (x < left) left = x
    if (x > right) right = x
    if (y < top) top = y
    if (y > bottom) bottom = y
  }
  const even = { left: Math.max(0, Math.floor(left) - 2) & ~1, top: Math.max(0, Math.floor(top) - 2) & ~1 }
  const width = (Math.min(frame.width, Math.ceil(right) + 2) - even.left) & ~1
  const height = (Math.min(frame.height, Math.ceil(bottom) + 2) - even.top) & ~1
  return width < 4 || height < 4 || !Number.isFinite(left) ? null : { ...even, width, height }
}
