/** @file The iris of an eye, and the eye's colours: its white, its darkest parts and the iris. */

/** Share of an eye's pixels that count as its lightest and as its darkest: no iris, neither a light nor a dark one. */
const lightest = 0.2
const darkest = 0.1
/** Between pupil and rim, in radii of the iris. */
const irisFrom = 0.4
const irisTo = 0.9
/** Share of the iris that has to be seen. */
const enough = 0.5

export type Point = readonly [number, number]

/** A circle; x and y of its centre. */
export interface Iris {
  x: number
  y: number
  radius: number
}

/** @param points the centre of an iris, then points around it */
export function irisOf([centre = [0, 0], ...around]: readonly Point[]): Iris {
  const [x, y] = centre
  return {
    x,
    y,
    radius: around.reduce((sum, point) => sum + Math.hypot(point[0] - x, point[1] - y), 0) / around.length,
  }
}

export interface Tone {
  y: number
  u: number
  v: number
}

export interface EyeTones {
  white: Tone
  dark: Tone
  iris: Tone
  /** How far the iris is known, 0…1: what the lids hide isn't. */
  seen: number
}

/** An eye's pixels. Chroma and mask have half of the width and height. */
interface EyePixels {
  y: Uint8Array
  u: Uint8Array
  v: Uint8Array
  /** Width of the mask. */
  width: number
}

/** @param iris in pixels of the luma @param isInside whether a pixel of the mask is between the lids. Null: it has none */
export function tonesOf(
  { y, u, v, width }: EyePixels,
  iris: Iris,
  isInside: (pixel: number) => boolean,
): EyeTones | null {
  const all = new Tones()
  const ofIris = new Tones()
  for (let pixel = 0; pixel < u.length; pixel += 1) {
    if (!isInside(pixel)) continue
    const [column, row] = [(pixel % width) * 2, Math.floor(pixel / width) * 2]
    const tone = [y[row * width * 2 + column] ?? 0, u[pixel] ?? 0, v[pixel] ?? 0] as const
    all.add(...tone)
    const away = Math.sqrt((column + 1 - iris.x) ** 2 + (row + 1 - iris.y) ** 2) / iris.radius
    if (away > irisFrom && away < irisTo) ofIris.add(...tone)
  }
  if (ofIris.count === 0) return null
  const area = (Math.PI * (irisTo ** 2 - irisFrom ** 2) * iris.radius ** 2) / 4
  return {
    white: all.mean(255, -1, lightest),
    dark: all.mean(0, 1, darkest),
    iris: ofIris.mean(0, 1, 1),
    seen: Math.min(1, ofIris.count / (area * enough)),
  }
}

/** Of both eyes, by how much of their irises is seen: one of them often lies in shadow. Null without eyes. */
export function meanTones(eyes: readonly EyeTones[]): EyeTones | null {
  const all = eyes.reduce((sum, { seen }) => sum + seen, 0)
  if (all === 0) return null
  const mean = (of: (eye: EyeTones) => number): number => eyes.reduce((sum, eye) => sum + of(eye) * eye.seen, 0) / all
  const tone = (part: 'white' | 'dark' | 'iris'): Tone => ({
    y: mean((eye) => eye[part].y),
    u: mean((eye) => eye[part].u),
    v: mean((eye) => eye[part].v),
  })
  return { white: tone('white'), dark: tone('dark'), iris: tone('iris'), seen: mean(({ seen }) => seen) }
}

/** Pixels by their luma. */
class Tones {
  count = 0
  readonly #counts = new Uint32Array(256)
  readonly #u = new Float64Array(256)
  readonly #v = new Float64Array(256)

  add(y: number, u: number, v: number): void {
    this.count += 1
    this.#counts[y] = (this.#counts[y] ?? 0) + 1
    this.#u[y] = (this.#u[y] ?? 0) + u
    this.#v[y] = (this.#v[y] ?? 0) + v
  }

  /** The mean of a share of all pixels, from one end on. There is one at least. */
  mean(first: number, step: 1 | -1, share: number): Tone {
    const total = this.count * share
    const sum: Tone = { y: 0, u: 0, v: 0 }
    for (let level = first, left = total; left > 0 && level >= 0 && level < 256; level += step) {
      const there = this.#counts[level] ?? 0
      if (there === 0) continue
      const taken = Math.min(there, left)
      left -= taken
      sum.y += level * taken
      sum.u += ((this.#u[level] ?? 0) / there) * taken
      sum.v += ((this.#v[level] ?? 0) / there) * taken
    }
    return { y: sum.y / total, u: sum.u / total, v: sum.v / total }
  }
}
