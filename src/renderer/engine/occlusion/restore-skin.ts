/**
 * @file Removes false occlusion, such as the gaps between spread fingers, which the segmenter marks as covered. A
 * covered pixel with the colour of the face's skin is face again if most of the occlusion has a different colour.
 */
import { inverse, type Affine } from '../common/affine.ts'
import { segmentSide } from '../face/region.ts'
import { meshPoints } from '../face/topology.ts'
import { chromaOf, meanOfFour, type Planes } from '../media/pixels/planes.ts'
import { blurBytes } from '../raster/blur.ts'
import { meshWithOpenings, pointWeights, skinFlag, triangleFlags } from '../raster/mesh-weights.ts'
import { rasterise } from '../raster/raster.ts'
import { smoothstep } from '../common/smoothstep.ts'

const cells = segmentSide ** 2
/** Distance from the skin's mean, in standard deviations: below `skinTo` it is skin, above `otherFrom` it isn't. */
const skinTo = 1.75
const otherFrom = 3
/** Minimum standard deviations of Y, U and V, in levels. */
const minSpread = [8, 2, 2] as const
/**
 * Share of the occlusion that has the skin's colour, overall and nearby. Below the first value it is face. Above the
 * second it is an occluder of the same colour, most often the person's own hand.
 */
const sameInAll = [0.4, 0.6] as const
const sameAbout = [0.5, 0.85] as const
/** Radius of what counts as nearby, in map pixels: of a box blur applied twice. */
const around = 14

/**
 * Corrects `share` in place.
 * @param share of an `OcclusionMap`
 * @param toMap of the same map
 * @param points x, y of the mesh's points in coded pixels
 */
export function restoreSkin(share: Uint8Array, toMap: Affine, frame: Planes, points: Float32Array): void {
  const face = faceOver(toMap, points)
  const colours = coloursOf(frame, inverse(toMap), face)
  const skin = spreadOf(colours, (cell) => ((face[cell] ?? 0) & skinFlag) !== 0 && (share[cell] ?? 0) === 0)
  if (!skin) return
  const covered = new Uint8Array(cells)
  const alike = new Uint8Array(cells)
  let [allCovered, allAlike] = [0, 0]
  for (let cell = 0; cell < cells; cell += 1) {
    if (face[cell] === 0 || share[cell] === 0) continue
    let square = 0
    for (let plane = 0; plane < 3; plane += 1) {
      const off = ((colours[plane]?.[cell] ?? 0) - (skin[plane]?.mean ?? 0)) / (skin[plane]?.spread ?? 1)
      square += off * off
    }
    const front = share[cell] ?? 0
    const near = Math.round((1 - smoothstep(skinTo, otherFrom, Math.sqrt(square))) * front)
    covered[cell] = front
    alike[cell] = near
    allCovered += front
    allAlike += near
  }
  const sure = 1 - smoothstep(...sameInAll, allAlike / Math.max(1, allCovered))
  if (allAlike === 0 || sure === 0) return
  const near = alike.slice()
  blurBytes(alike, segmentSide, segmentSide, around)
  blurBytes(covered, segmentSide, segmentSide, around)
  for (let cell = 0; cell < cells; cell += 1) {
    if (near[cell] === 0) continue
    const about = (alike[cell] ?? 0) / Math.max(1, covered[cell] ?? 0)
    const given = (near[cell] ?? 0) * sure * (1 - smoothstep(...sameAbout, about))
    share[cell] = Math.round((share[cell] ?? 0) - given)
  }
}

/** Draws the mesh over the map: 0 outside of it, else non-zero with the flags of its triangles. */
export function faceOver({ a, b, c, d, e, f }: Affine, points: Float32Array): Uint8Array {
  const to = new Float32Array(meshPoints * 4)
  for (let point = 0; point < meshPoints; point += 1) {
    const [x, y] = [points[point * 2] ?? 0, points[point * 2 + 1] ?? 0]
    for (let at = point * 2; at < to.length; at += meshPoints * 2) {
      to[at] = a * x + b * y + c
      to[at + 1] = d * x + e * y + f
    }
  }
  const from = new Float32Array(meshPoints * 4).fill(1)
  const mesh = { triangles: meshWithOpenings, to, from, weights: pointWeights, flags: triangleFlags }
  const canvas = { left: 0, top: 0, width: segmentSide, height: segmentSide }
  const face = new Uint8Array(cells)
  rasterise(mesh, canvas, { data: new Uint8Array(16), width: 4, height: 4 }, new Uint8Array(cells), face)
  return face
}

/** Y, U and V of the frame at the map's pixels, where `face` isn't 0. Outside the frame its edge is repeated. */
function coloursOf({ y, u, v, width, height }: Planes, { a, b, c, d, e, f }: Affine, face: Uint8Array): Uint8Array[] {
  const colours = [new Uint8Array(cells), new Uint8Array(cells), new Uint8Array(cells)] as const
  const stride = chromaOf(width)
  const [maxX, maxY] = [(width >> 1) - 1, (height >> 1) - 1]
  for (let cell = 0; cell < cells; cell += 1) {
    if (face[cell] === 0) continue
    const mapX = (cell % segmentSide) + 0.5
    const mapY = Math.floor(cell / segmentSide) + 0.5
    const column = Math.max(0, Math.min(maxX, Math.floor((a * mapX + b * mapY + c) / 2)))
    const row = Math.max(0, Math.min(maxY, Math.floor((d * mapX + e * mapY + f) / 2)))
    colours[0][cell] = meanOfFour(y, row * 2 * width + column * 2, width)
    colours[1][cell] = u[row * stride + column] ?? 0
    colours[2][cell] = v[row * stride + column] ?? 0
  }
  return [...colours]
}

/** Mean and standard deviation of each plane; null with fewer than 50 pixels. */
function spreadOf(
  planes: readonly Uint8Array[],
  counts: (cell: number) => boolean,
): { mean: number; spread: number }[] | null {
  const chosen: number[] = []
  for (let cell = 0; cell < cells; cell += 1) if (counts(cell)) chosen.push(cell)
  if (chosen.length < 50) return null
  return planes.map((plane, index) => {
    let [sum, squares] = [0, 0]
    for (const cell of chosen) {
      const value = plane[cell] ?? 0
      sum += value
      squares += value * value
    }
    const mean = sum / chosen.length
    const spread = Math.sqrt(Math.max(0, squares / chosen.length - mean * mean))
    return { mean, spread: Math.max(minSpread[index] ?? 1, spread) }
  })
}
