/**
 * @file Smooths the steps where the mesh hides a part of itself, such as the nose of a turned head before the cheek.
 * Geometric post-process anti-aliasing (Emil Persson, 2011): a pixel that such an edge crosses takes its share of the
 * neighbour on the other side.
 */
import type { Canvas } from '../common/canvas.ts'
import { skinTriangles } from '../face/topology.ts'

/** For each edge inside the skin: its two points, and where its two triangles begin in `skinTriangles`. */
const innerEdges = ((): Uint16Array => {
  const first = new Map<number, number>()
  const edges: number[] = []
  for (let triangle = 0; triangle < skinTriangles.length; triangle += 3)
    for (let corner = 0; corner < 3; corner += 1) {
      const a = skinTriangles[triangle + corner] ?? 0
      const b = skinTriangles[triangle + ((corner + 1) % 3)] ?? 0
      const key = Math.min(a, b) * 1024 + Math.max(a, b)
      const other = first.get(key)
      if (other === undefined) first.set(key, triangle)
      else edges.push(a, b, other, triangle)
    }
  return Uint16Array.from(edges)
})()

/**
 * Smooths `planes` in place.
 * @param to x, y of the mesh's points, as they were drawn on the canvas
 */
export function smoothSilhouettes(to: Float32Array, canvas: Canvas, planes: readonly Uint8Array[]): void {
  for (let at = 0; at < innerEdges.length; at += 4) {
    const one = areaOf(to, innerEdges[at + 2] ?? 0)
    const other = areaOf(to, innerEdges[at + 3] ?? 0)
    if (one * other < 0) smoothEdge(to, innerEdges[at] ?? 0, innerEdges[at + 1] ?? 0, canvas, planes)
  }
}

/** Twice the signed area of a triangle; the sign says which way it faces. */
function areaOf(to: Float32Array, triangle: number): number {
  const a = (skinTriangles[triangle] ?? 0) * 2
  const b = (skinTriangles[triangle + 1] ?? 0) * 2
  const c = (skinTriangles[triangle + 2] ?? 0) * 2
  const x = to[a] ?? 0
  const y = to[a + 1] ?? 0
  return ((to[b] ?? 0) - x) * ((to[c + 1] ?? 0) - y) - ((to[c] ?? 0) - x) * ((to[b + 1] ?? 0) - y)
}

function smoothEdge(
  to: Float32Array,
  a: number,
  b: number,
  { left, top, width, height }: Canvas,
  planes: readonly Uint8Array[],
): void {
  const from = [(to[a * 2] ?? 0) - left, (to[a * 2 + 1] ?? 0) - top] as const
  const by = [(to[b * 2] ?? 0) - left - from[0], (to[b * 2 + 1] ?? 0) - top - from[1]] as const
  /** The axis that the edge runs along. */
  const along = Math.abs(by[0]) > Math.abs(by[1]) ? 0 : 1
  const across = along === 0 ? 1 : 0
  const size = [width, height] as const
  const stride = [1, width] as const
  const slope = by[across] / (by[along] || 1)
  const ends = [from[along], from[along] + by[along]] as const
  const end = Math.min(size[along], Math.ceil(Math.max(...ends) - 0.5))
  for (let step = Math.max(0, Math.ceil(Math.min(...ends) - 0.5)); step < end; step += 1) {
    const crossing = from[across] + (step + 0.5 - from[along]) * slope
    const crossed = Math.floor(crossing)
    const offset = crossing - crossed - 0.5
    const next = crossed + (offset > 0 ? 1 : -1)
    if (Math.min(crossed, next) < 0 || Math.max(crossed, next) >= size[across]) continue
    const share = 0.5 - Math.abs(offset)
    const pixel = step * stride[along] + crossed * stride[across]
    const neighbour = step * stride[along] + next * stride[across]
    for (const plane of planes) {
      const value = plane[pixel] ?? 0
      plane[pixel] = Math.round(value + ((plane[neighbour] ?? 0) - value) * share)
    }
  }
}
