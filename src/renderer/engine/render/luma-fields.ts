/** @file What gives the drawn face's luma the video's light and contrast. */
import { smoothstep } from '../common/smoothstep.ts'
import type { Means } from './color-transfer.ts'

/** Bounds of the face's contrast, as multiples of what it has without the video's: some people's features stand out more. */
const minContrast = 0.5
const maxContrast = 1.12
/** Bound of a brow's contrast, as a multiple of the source's. */
const maxBrow = 1.6

/** Correction of the source's luma, by grid cell: `source · gain + offset − curve · (mean − source)²`. */
export interface LumaFields {
  gain: Float32Array
  offset: Float32Array
  mean: Float32Array
  /** The curve of what is darker than the mean, and of what is lighter. */
  dark: Float32Array
  light: Float32Array
}

/**
 * How much of the detail a camera keeps in skin of this mean luma above black. From 175 of 219 levels on, where red reaches
 * its maximum, less and less.
 */
const exposed = (luma: number): number => 1 - 0.6 * Math.min(1, Math.max(0, (luma - 175) / 44))

/**
 * Share that is taken of a shadow or shine that differs from the mean by as much as that, if the video has less of them there:
 * nothing where it has about as much, all of the share where it has no more than a part.
 */
const mostBent = 0.8
const bent = { none: 1.05, most: 0.65 }

/** How much less of shadows or shines the video has, 0…1. @param ratio over the drawn face's */
const lackOf = (ratio: number): number => smoothstep(bent.none, bent.most, ratio)

/** What changes the usual transfer of luma, by grid cell. */
export interface LumaChanges {
  /** As `faceMeans` returned it. */
  contrast?: Float32Array
  shadows?: Float32Array
  shines?: Float32Array
  sharedShadows?: Float32Array
  /** As `sideLight` returned it. */
  side?: Float32Array
  /** How much of the cell belongs to a brow, 0…1. */
  brows?: Float32Array
  /** As of `SwapSource`. */
  browStrength?: number
  /** The same as `brows`, of what is dark on every face; all of the face if it isn't given. */
  features?: Float32Array
  /** The same of the cheeks. */
  cheeks?: Float32Array
}

/**
 * Moves the source's luma detail from its local mean to the target's. Detail shrinks in proportion where the target is
 * darker, as in real light. Where the target is brighter, it doesn't grow near the mean, or the source's shadows would look
 * like dirt; but black stays black, or nostrils would look as if there was fog before them, and brows grow in proportion:
 * those of dark skin are black hair, too. Brows get at most `browStrength` of that depth. Detail shrinks where the target is
 * overexposed. Within bounds, its contrast then becomes the target's: a face in softer light than its head has looks like a mask,
 * and shadows of hard light on a face in soft light look like dirt. On skin, shadows that are deeper than the target's, and
 * brighter shines, are weakened, the strongest most: the folds of a dark face were stains on a fair one. On cheeks, so are
 * shadows where the target has none, however deep those beside them are: most of them are light of another room, and were
 * drawn lines along the nose.
 */
export function lumaFields(
  { source, target }: Means,
  { contrast, shadows, shines, sharedShadows, side, brows, browStrength = 1, features, cheeks }: LumaChanges = {},
): LumaFields {
  const gain = new Float32Array(source.length)
  const offset = new Float32Array(source.length)
  const dark = new Float32Array(source.length)
  const light = new Float32Array(source.length)
  for (let index = 0; index < source.length; index += 1) {
    const from = Math.max(8, (source[index] ?? 0) - 16)
    const to = Math.max(8, (target[index] ?? 0) - 16)
    const usual = Math.min(1, to / from) * exposed(to)
    const skin = Math.min(usual * maxContrast, Math.max(usual * minContrast, contrast?.[index] ?? usual))
    const most = Math.max(skin, Math.min(maxBrow, to / from) * exposed(to))
    const brow = browStrength < 1 ? Math.min(most, (to / from) * browStrength) : most
    const share = brows?.[index] ?? 0
    const bounded = skin + (brow - skin) * share
    const lit = Math.exp(side?.[index] ?? 0)
    gain[index] = bounded * lit
    offset[index] = ((target[index] ?? 0) - 16 - (source[index] ?? 0) * bounded) * lit + 16
    // Whole up to the middle of a feature's margin.
    const feature = features ? Math.min(1, 2 * Math.max(features[index] ?? 0, share)) : 1
    const blackDepth = to * (1 - share * (1 - browStrength))
    const darkened = Math.max(0, blackDepth - from * bounded) / (from * from)
    const bending = (mostBent * bounded * (1 - feature)) / from
    const lack = Math.max(
      lackOf((shadows?.[index] ?? bounded) / bounded),
      (cheeks?.[index] ?? 0) * lackOf((sharedShadows?.[index] ?? bounded) / bounded),
    )
    dark[index] = (feature * darkened - bending * lack) * lit
    light[index] = bending * lackOf((shines?.[index] ?? bounded) / bounded) * lit
  }
  return { gain, offset, mean: source, dark, light }
}
