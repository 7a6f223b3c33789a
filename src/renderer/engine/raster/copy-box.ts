/** Copies a rectangle of a plane. @param origin index of its first pixel @param stride width of the plane */
export function copyBox(
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
