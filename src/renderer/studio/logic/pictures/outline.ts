/** @file SVG path of a closed curve through the points of a face's oval. */

/** Catmull-Rom through the points, written as cubic Béziers (tension ½: control points at a sixth of the chord). */
export function ovalPath(points: readonly (readonly [number, number])[]): string {
  const count = points.length
  const at = (index: number): readonly [number, number] => points[(index + count) % count] ?? [0, 0]
  if (count < 3) return ''
  const fixed = (value: number): string => value.toFixed(1)
  const start = at(0)
  let path = `M${fixed(start[0])} ${fixed(start[1])}`
  for (let index = 0; index < count; index += 1) {
    const [p0, p1, p2, p3] = [at(index - 1), at(index), at(index + 1), at(index + 2)]
    const c1 = [p1[0] + (p2[0] - p0[0]) / 6, p1[1] + (p2[1] - p0[1]) / 6] as const
    const c2 = [p2[0] - (p3[0] - p1[0]) / 6, p2[1] - (p3[1] - p1[1]) / 6] as const
    path += `C${[...c1, ...c2, ...p2].map(fixed).join(' ')}`
  }
  return `${path}Z`
}
