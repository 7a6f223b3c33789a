/** Height to width of an opening, from corner to corner, summed over its pairs of points. @param size values per point */
export function opennessOf(loop: readonly number[], points: Float32Array, size: 2 | 3): number {
  const between = (a: number, b: number): number =>
    Math.hypot(...[0, 1].map((axis) => (points[a * size + axis] ?? 0) - (points[b * size + axis] ?? 0)))
  const corner = loop.length / 2
  let height = 0
  for (let at = 1; at < corner; at += 1) height += between(loop[at] ?? 0, loop[loop.length - at] ?? 0)
  return height / Math.max(1e-6, between(loop[0] ?? 0, loop[corner] ?? 0))
}
