import type { Canvas } from '../common/canvas.ts'
import { chromaOf, type Planes } from '../media/pixels/planes.ts'

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
