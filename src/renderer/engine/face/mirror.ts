/** @file Pairs each landmark with its mirror image. */
import { meshPoints, skinTriangles } from './topology.ts'

type Triangle = readonly [number, number, number]

/** For each edge the opposite corners of its triangles: two, or one at a rim. */
const oppositeCorners = ((): Map<number, number[]> => {
  const corners = new Map<number, number[]>()
  for (let at = 0; at < skinTriangles.length; at += 3) {
    for (let corner = 0; corner < 3; corner += 1) {
      const edge = edgeKey(skinTriangles[at + corner] ?? 0, skinTriangles[at + ((corner + 1) % 3)] ?? 0)
      corners.set(edge, [...(corners.get(edge) ?? []), skinTriangles[at + ((corner + 2) % 3)] ?? 0])
    }
  }
  return corners
})()

function edgeKey(a: number, b: number): number {
  return a < b ? a * 1000 + b : b * 1000 + a
}

/** The third corner of the triangle on the other side of an edge. */
function beyond(a: number, b: number, third: number): number | undefined {
  return oppositeCorners.get(edgeKey(a, b))?.find((corner) => corner !== third)
}

/**
 * For each of the 468 mesh points its mirror image. Found by walking the mesh from a triangle and its mirror image at
 * the same time, edge by edge. Some quads are split along the other diagonal on the other side. The walk stops there
 * and reaches those points from elsewhere, except the two pairs that are given.
 */
export const mirrorOf: Uint16Array = (() => {
  const mirror = new Map<number, number>([
    [246, 466],
    [466, 246],
    [20, 250],
    [250, 20],
  ])
  const seen = new Set<string>()
  // The edge 9–151 is on the middle line, above the nose; 108 and 337 are on either side of it.
  const waiting: { own: Triangle; image: Triangle }[] = [
    { own: [9, 151, 108], image: [9, 151, 337] },
    { own: [9, 151, 337], image: [9, 151, 108] },
  ]
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { own, image } = next
    const name = [...own].sort((a, b) => a - b).join(' ')
    if (seen.has(name)) continue
    const pairs = own.map((point, corner) => [point, image[corner] ?? 0] as const)
    if (pairs.some(([point, other]) => (mirror.get(point) ?? other) !== other)) continue
    seen.add(name)
    for (const [point, other] of pairs) mirror.set(point, other)
    for (const [first, second, third] of [
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
    ] as const) {
      const to = beyond(own[first], own[second], own[third])
      const toImage = beyond(image[first], image[second], image[third])
      if (to === undefined || toImage === undefined) continue
      waiting.push({ own: [own[first], own[second], to], image: [image[first], image[second], toImage] })
    }
  }
  return Uint16Array.from({ length: meshPoints }, (_, point) => mirror.get(point) ?? point)
})()
