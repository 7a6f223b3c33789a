/** @file The hue of the drawn face: the video's, and the source's detail on it. Chroma follows luma as on the video's skin. */
import type { Means } from './color-transfer.ts'

/** Share of the hue's detail that is kept: yellow patches of a compressed picture and make-up stand out on other skin. */
const hueDetail = 0.7
/** Bounds of the slope. */
const [minSlope, maxSlope] = [-0.5, 1]
/** Cells whose luma differs by more than this share of the mean aren't skin alone. */
const mostShade = 0.3
/** Squares of levels that count for a slope of 1, so that even skin has that. */
const even = 50

/** Luma that counts for the hue of a source's picture. */
export const aboveBlack = (luma: number): number => luma - 16

/**
 * Luma above black that counts for the hue. Of skin, red is the first to reach its maximum, at about 175 of 219 levels of
 * luma; from there to white, chroma falls to nothing. A video that is too bright thus says little about its skin's hue
 * where it is white, and what is drawn darker there isn't grey. The kernel `blend_chroma` does the same.
 */
export function colourful(luma: number): number {
  const above = aboveBlack(luma)
  return above * Math.max(90 / 256, Math.min(1, (219 - above) / 44))
}

/**
 * How chroma follows luma on skin. On dark skin, both change in about the same proportion. On fair skin, shadows are redder and
 * shines whiter, so chroma hardly changes; in proportion, the shadows of a dark face would be grey there, and those of a fair
 * face orange on dark skin. The kernel `blend_chroma` thus counts `mean + slope · (luma − mean)` instead of luma, as far as the
 * difference is a quarter of the luma: black has no hue.
 */
export interface HueSlope {
  /** Local mean of the luma that counts for the hue, by grid cell. */
  mean: Float32Array
  /** Relative change of chroma over that of luma; 1: in proportion. */
  slope: number
}

export interface HueSlopes {
  source: HueSlope
  target: HueSlope
}

/** Y, U and V. */
type Fields = readonly [Float32Array, Float32Array, Float32Array]

/**
 * The slope by least squares over all cells and both chroma planes.
 * @param count number of skin pixels, by grid cell
 * @param skin sums of these pixels and local means, by grid cell
 * @param counts luma that counts for the hue
 */
export function hueSlope(
  count: Float32Array,
  { sums, means }: { sums: Fields; means: Fields },
  counts: (luma: number) => number,
): HueSlope {
  const mean = new Float32Array(count.length)
  for (let at = 0; at < mean.length; at += 1) mean[at] = counts(means[0][at] ?? 0)
  const [sum] = sums
  let [together, squares] = [even, even]
  for (let at = 0; at < count.length; at += 1) {
    const pixels = count[at] ?? 0
    if (pixels < 1) continue
    const shade = counts((sum[at] ?? 0) / pixels) / Math.max(12, mean[at] ?? 0) - 1
    if (Math.abs(shade) > mostShade) continue
    for (const plane of [1, 2] as const) {
      const usual = means[plane][at] ?? 0
      const inProportion = (usual - 128) * shade
      together += inProportion * ((sums[plane][at] ?? 0) / pixels - usual)
      squares += inProportion * inProportion
    }
  }
  return { mean, slope: Math.min(maxSlope, Math.max(minSlope, together / squares)) }
}

/**
 * Chroma by luma, `c ≈ share · (Y − 16)`: the target's share applied to the final luma, plus the source's
 * deviation from its own share.
 */
export interface ChromaFields {
  /** Target's chroma (centred on 0) per luma. */
  target: Float32Array
  /** Source's chroma per luma, times `detail`. */
  source: Float32Array
  /** Share of the source's chroma detail to keep, 0…1; 0 for a grey target. */
  detail: number
}

export function chromaFields(luma: Means, chroma: Means): ChromaFields {
  const target = new Float32Array(luma.source.length)
  const source = new Float32Array(luma.source.length)
  let fromSum = 0
  let toSum = 0
  for (let index = 0; index < target.length; index += 1) {
    const from = (chroma.source[index] ?? 128) - 128
    const to = (chroma.target[index] ?? 128) - 128
    target[index] = to / Math.max(12, colourful(luma.target[index] ?? 0))
    source[index] = from / Math.max(12, (luma.source[index] ?? 0) - 16)
    fromSum += Math.abs(from)
    toSum += Math.abs(to)
  }
  const detail = hueDetail * Math.min(1, toSum / Math.max(1, fromSum))
  for (let index = 0; index < source.length; index += 1) source[index] = (source[index] ?? 0) * detail
  return { target, source, detail }
}
