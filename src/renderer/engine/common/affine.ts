/** An affine map: `x' = a·x + b·y + c`, `y' = d·x + e·y + f`. */
export interface Affine {
  a: number
  b: number
  c: number
  d: number
  e: number
  f: number
}

export const identity: Affine = { a: 1, b: 0, c: 0, d: 0, e: 1, f: 0 }

/** The map that applies `inner`, then `outer`. */
export function compose(outer: Affine, inner: Affine): Affine {
  return {
    a: outer.a * inner.a + outer.b * inner.d,
    b: outer.a * inner.b + outer.b * inner.e,
    c: outer.a * inner.c + outer.b * inner.f + outer.c,
    d: outer.d * inner.a + outer.e * inner.d,
    e: outer.d * inner.b + outer.e * inner.e,
    f: outer.d * inner.c + outer.e * inner.f + outer.f,
  }
}

/** The inverse map. */
export function inverse({ a, b, c, d, e, f }: Affine): Affine {
  const by = a * e - b * d
  return { a: e / by, b: -b / by, c: (b * f - c * e) / by, d: -d / by, e: a / by, f: (c * d - a * f) / by }
}

/**
 * The least-squares similarity transform from `from` to `to` (Umeyama 1991, in 2D).
 * @param from x, y pairs, like `to`
 */
export function similarity(from: Float32Array, to: Float32Array): Affine {
  const count = from.length / 2
  const mean = (of: Float32Array, axis: 0 | 1): number => {
    let sum = 0
    for (let at = axis; at < of.length; at += 2) sum += of[at] ?? 0
    return sum / count
  }
  const [fromX, fromY, toX, toY] = [mean(from, 0), mean(from, 1), mean(to, 0), mean(to, 1)]
  let [dot, cross, square] = [0, 0, 1e-6]
  for (let at = 0; at < from.length; at += 2) {
    const [x, y] = [(from[at] ?? 0) - fromX, (from[at + 1] ?? 0) - fromY]
    const [u, v] = [(to[at] ?? 0) - toX, (to[at + 1] ?? 0) - toY]
    dot += x * u + y * v
    cross += x * v - y * u
    square += x * x + y * y
  }
  const [cos, sin] = [dot / square, cross / square]
  return { a: cos, b: -sin, c: toX - cos * fromX + sin * fromY, d: sin, e: cos, f: toY - sin * fromX - cos * fromY }
}

/**
 * Maps upright, square pixels, as a viewer sees them, to coded pixels. Face analysis uses upright pixels and rendering
 * uses coded pixels, so that rotated video never has to be rotated.
 * @param rotation degrees clockwise by which a player rotates the coded picture, before it mirrors it for `flip`
 */
export function uprightToCoded(
  coded: { width: number; height: number },
  shown: { width: number; height: number; rotation: 0 | 90 | 180 | 270; flip: boolean },
): Affine {
  const turned = shown.rotation % 180 !== 0
  const scaleX = (turned ? coded.height : coded.width) / shown.width
  const scaleY = (turned ? coded.width : coded.height) / shown.height
  const mirror: Affine = shown.flip ? { ...identity, a: -1, c: shown.width } : identity
  const scale: Affine = { ...identity, a: scaleX, e: scaleY }
  const { width, height } = coded
  const turn: Record<0 | 90 | 180 | 270, Affine> = {
    0: identity,
    90: { a: 0, b: 1, c: 0, d: -1, e: 0, f: height },
    180: { a: -1, b: 0, c: width, d: 0, e: -1, f: height },
    270: { a: 0, b: -1, c: width, d: 1, e: 0, f: 0 },
  }
  return compose(turn[shown.rotation], compose(scale, mirror))
}
