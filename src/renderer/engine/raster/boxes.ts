/** @file Rectangles of a frame, and the coarse grid over a picture for low-frequency statistics. */
import type { Canvas } from '../common/canvas.ts'
import { chromaOf, type Planes } from '../media/pixels/planes.ts'

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

/** Copies a rectangle with even edges of a frame. @param to of the rectangle's size */
export function copyBox(frame: Planes, { left, top, width, height }: Canvas, to: Planes): void {
  copyRows(frame.y, top * frame.width + left, frame.width, width, height, to.y)
  const stride = chromaOf(frame.width)
  const start = (top / 2) * stride + left / 2
  copyRows(frame.u, start, stride, width / 2, height / 2, to.u)
  copyRows(frame.v, start, stride, width / 2, height / 2, to.v)
}

/** Copies a rectangle of a plane. @param origin index of its first pixel @param stride width of the plane */
export function copyRows(
  from: Uint8Array,
  origin: number,
  stride: number,
  width: number,
  height: number,
  to: Uint8Array,
): void {
  for (let row = 0; row < height; row += 1) {
    const start = origin + row * stride
    to.set(from.subarray(start, start + width), row * width)
  }
}

export interface Grid {
  columns: number
  rows: number
  /** Side of a cell in pixels. */
  cell: number
}

export function gridFor(width: number, height: number, cell: number): Grid {
  return { cell, columns: Math.ceil(width / cell) + 1, rows: Math.ceil(height / cell) + 1 }
}
