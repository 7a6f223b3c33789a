/** @file Draws the triangles of a mesh: for every pixel they cover, the source's value there and a weight. */

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

/** A rectangle of pixels; `left, top` place it in the coordinates of `Mesh.to`. */
export interface Canvas {
  left: number
  top: number
  width: number
  height: number
}

const fixed = 65536

/**
 * Paints `texture` into `out`, and into `weight` the interpolated weight, at least 4 where anything was painted, with
 * the triangle's flags in its two lowest bits. Triangles that show their back are left out.
 * @param second a further texture of the same size with its own output (the other chroma plane)
 */
export function rasterise(
  mesh: Mesh,
  canvas: Canvas,
  texture: Texture,
  out: Uint8Array,
  weight: Uint8Array | null,
  second?: { texture: Texture; out: Uint8Array },
): void {
  const { triangles, to, from, weights, flags } = mesh
  const { width, height } = canvas
  const source = texture.data
  const other = second?.texture.data
  const otherOut = second?.out
  const stride = texture.width
  // Corners are kept a pixel inside the texture, so that no pixel in between need be checked.
  const maxU = texture.width - 1.5
  const maxV = texture.height - 1.5
  const uOf = (point: number): number => Math.min(maxU, Math.max(1, from[point * 2] ?? 0))
  const vOf = (point: number): number => Math.min(maxV, Math.max(1, from[point * 2 + 1] ?? 0))
  const facing = Math.sign(signedArea(triangles, to)) || 1

  for (let at = 0, triangle = 0; at < triangles.length; at += 3, triangle += 1) {
    let a = triangles[at] ?? 0
    let b = triangles[at + 1] ?? 0
    let c = triangles[at + 2] ?? 0
    // Corners by height; every shared edge is then walked from the same end, so neighbours meet without gaps.
    if ((to[b * 2 + 1] ?? 0) < (to[a * 2 + 1] ?? 0)) [a, b] = [b, a]
    if ((to[c * 2 + 1] ?? 0) < (to[a * 2 + 1] ?? 0)) [a, c] = [c, a]
    if ((to[c * 2 + 1] ?? 0) < (to[b * 2 + 1] ?? 0)) [b, c] = [c, b]
    const ax = (to[a * 2] ?? 0) - canvas.left
    const ay = (to[a * 2 + 1] ?? 0) - canvas.top
    const bx = (to[b * 2] ?? 0) - canvas.left
    const by = (to[b * 2 + 1] ?? 0) - canvas.top
    const cx = (to[c * 2] ?? 0) - canvas.left
    const cy = (to[c * 2 + 1] ?? 0) - canvas.top
    const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    if (Math.abs(area) < 1e-4) continue
    if (windingOf(triangles, at, to) * facing < 0) continue

    const su = uOf(a)
    const sv = vOf(a)
    const sw = weights[a] ?? 0
    const [ux, uy] = gradient(uOf(b) - su, uOf(c) - su, ax, ay, bx, by, cx, cy, area)
    const [vx, vy] = gradient(vOf(b) - sv, vOf(c) - sv, ax, ay, bx, by, cx, cy, area)
    const [wx, wy] = gradient((weights[b] ?? 0) - sw, (weights[c] ?? 0) - sw, ax, ay, bx, by, cx, cy, area)
    const stepU = Math.round(ux * fixed)
    const stepV = Math.round(vx * fixed)
    const stepW = Math.round(wx * fixed)
    const flag = flags[triangle] ?? 0

    const firstRow = Math.max(0, Math.ceil(ay - 0.5))
    const endRow = Math.min(height, Math.ceil(cy - 0.5))
    const long = (cx - ax) / (cy - ay)
    const upper = (bx - ax) / (by - ay)
    const lower = (cx - bx) / (cy - by)
    for (let row = firstRow; row < endRow; row += 1) {
      const y = row + 0.5
      const x1 = ax + (y - ay) * long
      const x2 = y < by ? ax + (y - ay) * upper : bx + (y - by) * lower
      const start = Math.max(0, Math.ceil((x1 < x2 ? x1 : x2) - 0.5))
      const end = Math.min(width, Math.ceil((x1 < x2 ? x2 : x1) - 0.5))
      if (end <= start) continue
      const dx = start + 0.5 - ax
      const dy = y - ay
      let u = ((su + dx * ux + dy * uy - 0.5) * fixed) | 0
      let v = ((sv + dx * vx + dy * vy - 0.5) * fixed) | 0
      let w = ((sw + dx * wx + dy * wy) * fixed) | 0
      for (let pixel = row * width + start, last = row * width + end; pixel < last; pixel += 1) {
        const texel = (v >> 16) * stride + (u >> 16)
        const fx = (u >> 8) & 255
        const fy = (v >> 8) & 255
        const p = source[texel] ?? 0
        const q = source[texel + stride] ?? 0
        const top = (p << 8) + ((source[texel + 1] ?? 0) - p) * fx
        const bottom = (q << 8) + ((source[texel + stride + 1] ?? 0) - q) * fx
        out[pixel] = ((top << 8) + (bottom - top) * fy + 32768) >> 16
        if (other && otherOut) {
          const r = other[texel] ?? 0
          const s = other[texel + stride] ?? 0
          const otherTop = (r << 8) + ((other[texel + 1] ?? 0) - r) * fx
          const otherBottom = (s << 8) + ((other[texel + stride + 1] ?? 0) - s) * fx
          otherOut[pixel] = ((otherTop << 8) + (otherBottom - otherTop) * fy + 32768) >> 16
        }
        if (weight) {
          const whole = w >> 16
          weight[pixel] = (whole < 4 ? 4 : whole > 252 ? 252 : whole & 252) | flag
        }
        u += stepU
        v += stepV
        w += stepW
      }
    }
  }
}

/** Change of a value per pixel in x and y over a triangle, from its differences along two edges. */
function gradient(
  toB: number,
  toC: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  area: number,
): [number, number] {
  return [(toB * (cy - ay) - toC * (by - ay)) / area, (toC * (bx - ax) - toB * (cx - ax)) / area]
}

function windingOf(triangles: Uint16Array, at: number, points: Float32Array): number {
  const a = (triangles[at] ?? 0) * 2
  const b = (triangles[at + 1] ?? 0) * 2
  const c = (triangles[at + 2] ?? 0) * 2
  const x = points[a] ?? 0
  const y = points[a + 1] ?? 0
  return ((points[b] ?? 0) - x) * ((points[c + 1] ?? 0) - y) - ((points[c] ?? 0) - x) * ((points[b + 1] ?? 0) - y)
}

/** Twice the area of all triangles; its sign tells which way the mesh faces. */
function signedArea(triangles: Uint16Array, points: Float32Array): number {
  let sum = 0
  for (let at = 0; at < triangles.length; at += 3) sum += windingOf(triangles, at, points)
  return sum
}
