/** @file Draws the triangles of a mesh: for every pixel they cover, the source's value there and a weight. */

import { kernels, Room } from '../kernels/kernels.ts'
import type { Canvas } from '../media/pixels/planes.ts'

/** One 8-bit plane to read from. */
export interface Texture {
  data: Uint8Array
  width: number
  height: number
}

/** Where a triangle's corners are. Coordinates are in pixels with centres at halves; `x, y` pairs by point number. */
export interface Mesh {
  triangles: Uint16Array
  /** Where points are drawn. */
  to: Float32Array
  /** Where points are in the textures. */
  from: Float32Array
  /** Weight of each point, 0…252. */
  weights: Float32Array
  /** By triangle, two bits that are handed on with the weight. */
  flags: Uint8Array
}

/**
 * Paints `texture` into `out`, and into `weight` the interpolated weight, at least 4 where anything was rendered, with
 * the triangle's flags in its two lowest bits. Triangles that show their back are left out.
 * @param second a further texture of the same size with its own output (the other chroma plane)
 */
export function rasterise(
  { triangles, to, from, weights, flags }: Mesh,
  { left, top, width, height }: Canvas,
  texture: Texture,
  out: Uint8Array,
  weight: Uint8Array | null,
  second?: { texture: Texture; out: Uint8Array },
): void {
  const room = new Room()
  const outputs = [out, second?.out ?? null, weight] as const
  const [first, other, weighed] = outputs.map((one) => (one ? room.copy(one) : 0)) as [number, number, number]
  const mesh = [room.copy(triangles), triangles.length / 3, room.copy(to), room.copy(from), room.copy(weights)] as const
  const textures = [room.copy(texture.data), second ? room.copy(second.texture.data) : 0] as const
  const size = [texture.width, texture.height] as const
  const where = [left, top, width, height] as const
  kernels.draw(...mesh, room.copy(flags), ...where, ...size, textures[0], first, textures[1], other, weighed)
  for (const [index, at] of [first, other, weighed].entries()) outputs[index]?.set(room.bytes(at, width * height))
}
