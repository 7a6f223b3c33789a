/** @file Rasterises a textured mesh: for each covered pixel the texture's value and a weight. */

import { kernels, Room } from '../kernels/kernels.ts'
import type { Canvas } from '../common/canvas.ts'

/** One 8-bit plane to read from. */
export interface Texture {
  data: Uint8Array
  width: number
  height: number
}

/** A textured mesh. Coordinates are `x, y` pairs by point, in pixels; pixel centres are at .5. */
export interface Mesh {
  triangles: Uint16Array
  /** Positions in the output. */
  to: Float32Array
  /** Positions in the texture. */
  from: Float32Array
  /** Weight of each point, 0…252. */
  weights: Float32Array
  /** Two bits per triangle, copied to the weight plane. */
  flags: Uint8Array
}

/**
 * Draws `texture` into `out` and the interpolated weights into `weight`: at least 4 where anything was drawn, with the
 * triangle's flags in the two lowest bits. Back-facing triangles are skipped.
 * @param second another texture of the same size with its own output (the other chroma plane)
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

/** Points in a picture of half the size. A loop, because `map` takes four times as long, and this runs on each frame. */
export function halved(points: Float32Array): Float32Array {
  const to = new Float32Array(points.length)
  for (let at = 0; at < to.length; at += 1) to[at] = (points[at] ?? 0) * 0.5
  return to
}
