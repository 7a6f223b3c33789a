/** @file How much a face smiles. */
import { smoothstep } from '../common/smoothstep.ts'

/** Mouth width, in distances between the outer corners of the eyes, over which a smile is more and more likely. */
const smile = { from: 0.56, to: 0.68 }

/**
 * How much a face smiles, 0…1, by the width of its mouth.
 * @param points landmarks @param size values for each point, x and y first
 */
export function smileOf(points: Float32Array, size: 2 | 3): number {
  const width = (a: number, b: number): number =>
    Math.hypot(
      (points[a * size] ?? 0) - (points[b * size] ?? 0),
      (points[a * size + 1] ?? 0) - (points[b * size + 1] ?? 0),
    )
  return smoothstep(smile.from, smile.to, width(61, 291) / width(33, 263))
}
