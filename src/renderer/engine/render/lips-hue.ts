/**
 * @file Gives the drawn lips a share of the hue that the video's lips have. Lips are red against the skin around them, and how
 * red depends on the light: in another's picture they are brown or grey.
 */
import { fillPolygon } from '../common/polygon.ts'
import { outerLips } from '../face/topology.ts'
import type { ChromaFields } from './color-transfer.ts'
import { blurField } from '../raster/blur.ts'
import type { Grid } from '../raster/boxes.ts'
import type { FaceCrop, SwappedFace } from './swap-method.ts'

/** Share of the difference that is taken over, and its maximum in levels. */
const share = 0.7
const max = 20
/** Standard deviation of the edge of the change, in face widths. */
const fade = 0.01
/** Landmarks above and below the middle of either lip. */
const pairs = [
  [0, 13],
  [37, 82],
  [267, 312],
  [39, 81],
  [269, 311],
  [40, 80],
  [270, 310],
  [17, 14],
  [84, 87],
  [314, 317],
  [181, 178],
  [405, 402],
  [91, 88],
  [321, 318],
] as const

/**
 * Changes the drawn chroma, in place.
 * @param landmarks x, y in the frame @param shaped the same as they were drawn @param u and `v`: what `blend` will do to hues
 */
export function tintLips(
  { columns, cell }: Grid,
  { box, under, faceWidth }: FaceCrop,
  drawn: SwappedFace,
  landmarks: Float32Array,
  shaped: Float32Array,
  u: ChromaFields,
  v: ChromaFields,
): void {
  const [width, height] = [box.width >> 1, box.height >> 1]
  /** Index in the planes of half size of the middle of a lip; -1 outside. */
  const spotOf = (points: Float32Array, [a, b]: readonly [number, number]): number => {
    const x = Math.floor((((points[a * 2] ?? 0) + (points[b * 2] ?? 0)) / 2 - box.left) / 2)
    const y = Math.floor((((points[a * 2 + 1] ?? 0) + (points[b * 2 + 1] ?? 0)) / 2 - box.top) / 2)
    return x >= 0 && y >= 0 && x < width && y < height ? y * width + x : -1
  }
  const lumaAt = (plane: Uint8Array, spot: number): number =>
    (plane[Math.floor(spot / width) * 2 * box.width + (spot % width) * 2] ?? 0) - 16
  const changes = [0, 0]
  let count = 0
  for (const pair of pairs) {
    const [there, own] = [spotOf(landmarks, pair), spotOf(shaped, pair)]
    // Lips that are covered, or stay the video's, have no mask.
    if (there < 0 || own < 0 || (drawn.mask[own] ?? 0) === 0) continue
    count += 1
    const at = Math.floor(Math.floor(own / width) / cell) * columns + Math.floor((own % width) / cell)
    const [wantedLuma, ownLuma] = [lumaAt(under.y, there), lumaAt(drawn.y, own)]
    for (const [index, [hue, from, to]] of (
      [
        [u, drawn.u, under.u],
        [v, drawn.v, under.v],
      ] as const
    ).entries()) {
      const redder = (to[there] ?? 128) - 128 - (hue.target[at] ?? 0) * wantedLuma
      const is = ((from[own] ?? 128) - 128) * hue.detail - (hue.source[at] ?? 0) * ownLuma
      changes[index] = (changes[index] ?? 0) + (redder - is) / Math.max(0.3, hue.detail)
    }
  }
  if (count < pairs.length / 2) return
  const [byU, byV] = changes.map((sum) => Math.min(max, Math.max(-max, (sum / count) * share))) as [number, number]
  const places = outerLips.map((point): [number, number] => [
    ((shaped[point * 2] ?? 0) - box.left) / 2,
    ((shaped[point * 2 + 1] ?? 0) - box.top) / 2,
  ])
  const sigma = Math.max(1, (faceWidth * fade) / 2)
  const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)]
  const [left, top] = [xs, ys].map((values) => Math.floor(Math.min(...values) - 3 * sigma)) as [number, number]
  const side = Math.ceil(Math.max(Math.max(...xs) - left, Math.max(...ys) - top) + 3 * sigma)
  const weights = new Float32Array(side * side)
  fillPolygon(
    weights,
    side,
    places.map(([x, y]) => [x - left, y - top]),
    0,
    1,
  )
  blurField(weights, side, side, sigma)
  for (let y = Math.max(0, top); y < Math.min(height, top + side); y += 1)
    for (let x = Math.max(0, left); x < Math.min(width, left + side); x += 1) {
      const weight = weights[(y - top) * side + x - left] ?? 0
      const spot = y * width + x
      if (weight < 0.01 || (drawn.mask[spot] ?? 0) === 0) continue
      drawn.u[spot] = Math.min(255, Math.max(0, Math.round((drawn.u[spot] ?? 0) + byU * weight)))
      drawn.v[spot] = Math.min(255, Math.max(0, Math.round((drawn.v[spot] ?? 0) + byV * weight)))
    }
}
