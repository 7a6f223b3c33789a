/** @file Polygons on a mask. */

/** x, y of the corners. */
export type Polygon = readonly (readonly [number, number])[]

/** Sets the mask to `value` where a pixel's centre is inside a polygon or within `margin` pixels of it. */
export function fillPolygon(mask: Float32Array, side: number, polygon: Polygon, margin: number, value: number): void {
  /** The first pixel whose centre is at or after a coordinate. */
  const from = (place: number): number => Math.min(side, Math.max(0, Math.ceil(place - 0.5)))
  const crossings = Array.from({ length: side }, (): number[] => [])
  let last = polygon.at(-1)
  for (const corner of polygon) {
    const [ax, ay, bx, by] = [last?.[0] ?? 0, last?.[1] ?? 0, corner[0], corner[1]]
    for (let row = from(Math.min(ay, by)); row < from(Math.max(ay, by)); row += 1)
      crossings[row]?.push(ax + ((row + 0.5 - ay) / (by - ay)) * (bx - ax))
    const end = margin > 0 ? from(Math.max(ay, by) + margin) : 0
    for (let row = from(Math.min(ay, by) - margin); row < end; row += 1) {
      for (let column = from(Math.min(ax, bx) - margin); column < from(Math.max(ax, bx) + margin); column += 1) {
        const away = squareToEdge(column + 0.5 - ax, row + 0.5 - ay, bx - ax, by - ay)
        if (away <= margin * margin) mask[row * side + column] = value
      }
    }
    last = corner
  }
  for (const [row, places] of crossings.entries()) {
    places.sort((a, b) => a - b)
    for (let at = 0; at + 1 < places.length; at += 2)
      mask.fill(value, row * side + from(places[at] ?? 0), row * side + from(places[at + 1] ?? 0))
  }
}

/** Squared distance from `x, y` to the line segment from 0, 0 to `alongX, alongY`. */
function squareToEdge(x: number, y: number, alongX: number, alongY: number): number {
  const length = alongX * alongX + alongY * alongY
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, (x * alongX + y * alongY) / length))
  return (share * alongX - x) ** 2 + (share * alongY - y) ** 2
}

/** Distance from a point to a polygon; 0 inside. */
export function distanceTo(polygon: Polygon, x: number, y: number): number {
  let inside = false
  let nearest = Infinity
  let [ax, ay] = polygon.at(-1) ?? [0, 0]
  for (const [bx, by] of polygon) {
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside
    nearest = Math.min(nearest, squareToEdge(x - ax, y - ay, bx - ax, by - ay))
    ax = bx
    ay = by
  }
  return inside ? 0 : Math.sqrt(nearest)
}
