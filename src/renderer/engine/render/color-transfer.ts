/**
 * @file Measures the light of the drawn face and of the video's, at low frequency only: both are averaged over a coarse grid and
 * blurred. The source's detail is kept relative to its mean (`luma-fields.ts`). For skin tone, see `hue.ts`.
 */
import { kernels, Room } from '../kernels/kernels.ts'
import { smoothstep } from '../common/smoothstep.ts'
import { blurField } from '../raster/blur.ts'
import { aboveBlack, colourful, hueSlope, type HueSlopes } from './hue.ts'
import type { SkinSums } from './side-light.ts'
import { hairlineFlag, skinFlag } from '../raster/mesh-weights.ts'
import type { Grid } from '../raster/boxes.ts'
import type { DrawnPlanes, FaceCrop } from './swap-method.ts'

/**
 * Blur of the means as a share of a wider one's, which counts where little skin shows. What is between both, such as shadows
 * beside a nose and shines on a cheek, is light of the room in which the picture was taken, and becomes the video's. Narrower
 * means make faces less like themselves.
 */
const nearSigma = 0.5
/**
 * The same on the forehead, which is smooth: a fringe's shadow, and the shine between shadows, would be patches on another
 * forehead.
 */
const foreheadSigma = 0.35
/** Share of a cell's pixels that has to be skin for the narrower mean to count half; elsewhere the wider one counts. */
const fewPixels = 0.3

/** Difference of a cell's luma from the skin around, as a share of it, for which it is skin or isn't: shade, and a shine. */
const shade = { all: 0.25, none: 0.45 }
const shine = { all: 0.25, none: 0.5 }
/** The same for chroma, in levels. In the shade chroma is less, and a shine is paler still: as a share of the skin's. */
const skinHue = { all: 6, none: 14 }
const leastChroma = 0.5
const mostChroma = 1.15

/** Blur of the contrast as a share of a wider mean's. */
const contrastSigma = 0.6
/** Difference from the mean, as a share of it, that counts at most: brows differ by more, and people have more or less of them. */
const mostDetail = 0.12
/** The same of what is only darker or only lighter than the mean, and the blur of what is found of it. */
const mostShade = 0.5
const shadeSigma = 0.4
/** Square of levels, times pixels of a cell, that counts as no contrast. */
const flat = 0.5

/** Local means of the drawn and the target plane over visible skin, by grid cell. */
export interface Means {
  source: Float32Array
  target: Float32Array
}

/** Of the drawn face and of the frame below it, over pixels with `skinFlag` in the mask. */
export interface FaceMeans {
  y: Means
  u: Means
  v: Means
  skin: SkinSums
  /** How much of each cell is forehead, without the video's brows, 0…1; blurred. */
  forehead: Float32Array
  /** Standard deviation of the means' blur, in cells. */
  sigma: number
  /** Contrast of the frame's luma around its means over that of the drawn luma, by grid cell. */
  contrast: Float32Array
  /** The same of what is darker than the means, and of what is lighter. */
  shadows: Float32Array
  shines: Float32Array
  /** How deep the frame's shadows are where the drawn luma has shadows, over how deep those are. */
  sharedShadows: Float32Array
  slopes: HueSlopes
}

/**
 * Local means of the drawn face and of the frame.
 * @param grid grid over the crop at half size
 * @param sigma standard deviation of the blur, in cells
 * @param brows as of `browShares`; null: there are none
 */
export function faceMeans(
  grid: Grid,
  crop: FaceCrop,
  drawn: DrawnPlanes,
  sigma: number,
  brows: Float32Array | null,
): FaceMeans {
  const { columns, rows } = grid
  const cells = columns * rows
  const fieldsOf = (all: Float32Array): Float32Array[] =>
    Array.from({ length: all.length / cells }, (_, field) => all.subarray(field * cells, (field + 1) * cells))
  const [lit, forehead] = litSums(grid, crop, drawn)
  const wide = wideMeans(grid, lit, sigma)
  addForehead(lit, forehead, wide)
  const near = nearMeans(grid, lit, wide, sigma * nearSigma)
  const fine = nearMeans(grid, lit, near, sigma * foreheadSigma)
  const upper = foreheadShares(grid, forehead, brows)
  for (let at = cells; at < near.length; at += 1)
    near[at] = (near[at] ?? 0) + ((fine[at] ?? 0) - (near[at] ?? 0)) * (upper[at % cells] ?? 0)
  const [count, ownY, toY, ownU, toU, ownV, toV] = fieldsOf(lit) as Seven
  const [, drawnY, frameY, drawnU, frameU, drawnV, frameV] = fieldsOf(near) as Seven
  const [own, other] = [
    { count, sums: ownY, means: drawnY },
    { count, sums: toY, means: frameY },
  ]
  /** How far the lumas are from their means, times each other, over the square of how far the drawn luma is. */
  const ratioOf = (one: Luma, two: Luma, bounds: Bounds, share: number): Float32Array => {
    const products = new Float32Array(2 * cells)
    const [alone, both] = fieldsOf(products) as [Float32Array, Float32Array]
    writeProducts(alone, own, own, bounds)
    writeProducts(both, one, two, bounds)
    const [littleAlone, littleBoth] = [alone, both].map((field) => 1e-3 * sumOf(field) + flat) as [number, number]
    blurField(products, columns, rows, sigma * share)
    return alone.map((value, at) => ((both[at] ?? 0) + littleBoth) / (value + littleAlone))
  }
  const contrast = ratioOf(other, other, { lightest: mostDetail, darkest: mostDetail }, contrastSigma).map(Math.sqrt)
  const darker = { lightest: 0, darkest: mostShade }
  const shadows = ratioOf(other, other, darker, shadeSigma).map(Math.sqrt)
  const sharedShadows = ratioOf(own, other, darker, shadeSigma)
  const shines = ratioOf(other, other, { lightest: mostShade, darkest: 0 }, shadeSigma).map(Math.sqrt)
  return {
    slopes: {
      source: hueSlope(count, { sums: [ownY, ownU, ownV], means: [drawnY, drawnU, drawnV] }, aboveBlack),
      target: hueSlope(count, { sums: [toY, toU, toV], means: [frameY, frameU, frameV] }, colourful),
    },
    y: { source: drawnY, target: frameY },
    u: { source: drawnU, target: frameU },
    v: { source: drawnV, target: frameV },
    contrast,
    shadows,
    shines,
    sharedShadows,
    forehead: foreheadShares(grid, forehead, null),
    skin: { count, drawn: ownY, frame: toY },
    sigma: sigma * nearSigma,
  }
}

/** Local means over cells, in the place of their sums. @param sums as of `litSums` */
function wideMeans({ columns, rows }: Grid, sums: Float32Array, sigma: number): Float32Array {
  const cells = columns * rows
  const means = sums.slice()
  blurField(means, columns, rows, sigma)
  const all = sumOf(sums.subarray(0, cells))
  for (let start = cells; start < sums.length; start += cells) {
    const whole = sumOf(sums.subarray(start, start + cells))
    // Mix in a little of the whole face's mean, so that cells without skin are defined.
    const share = 1e-4
    for (let at = 0; at < cells; at += 1)
      means[start + at] = ((means[start + at] ?? 0) + share * whole) / ((means[at] ?? 0) + share * all + 1e-6)
  }
  return means
}

/** Local means over cells, for a narrower blur. @param sums as of `litSums` @param wider means that count where little skin shows */
function nearMeans(
  { columns, rows, cell }: Grid,
  sums: Float32Array,
  wider: Float32Array,
  sigma: number,
): Float32Array {
  const cells = columns * rows
  const means = sums.slice()
  blurField(means, columns, rows, sigma)
  const few = cell * cell * fewPixels
  for (let at = cells; at < means.length; at += 1)
    means[at] = ((means[at] ?? 0) + few * (wider[at] ?? 0)) / ((means[at % cells] ?? 0) + few)
  return means
}

/** How much of each cell is forehead, 0…1, without brows. @param forehead as of `litSums` */
function foreheadShares(
  { columns, rows, cell }: Grid,
  forehead: Float32Array,
  brows: Float32Array | null,
): Float32Array {
  const shares = new Float32Array(columns * rows)
  for (let at = 0; at < shares.length; at += 1)
    shares[at] = Math.max(0, (forehead[at] ?? 0) / (cell * cell) - (brows?.[at] ?? 0))
  blurField(shares, columns, rows, 1)
  return shares
}

/** Adds the cells of the forehead in which the frame looks like skin, not like hair. All as of `litSums`. */
function addForehead(sums: Float32Array, forehead: Float32Array, means: Float32Array): void {
  const cells = sums.length / 7
  for (let at = 0; at < cells; at += 1) {
    const pixels = forehead[at] ?? 0
    if (pixels < 1) continue
    const cellMean = (field: number): number => (forehead[field * cells + at] ?? 0) / pixels
    const around = (field: number): number => means[field * cells + at] ?? 0
    const lumaOff = (cellMean(2) - around(2)) / Math.max(24, around(2))
    const bounds = lumaOff < 0 ? shade : shine
    const hueOff = chromaOff(cellMean(4) - 128, cellMean(6) - 128, around(4) - 128, around(6) - 128)
    const share = smoothstep(bounds.none, bounds.all, Math.abs(lumaOff)) * smoothstep(skinHue.none, skinHue.all, hueOff)
    if (share > 0)
      for (let field = at; field < sums.length; field += cells)
        sums[field] = (sums[field] ?? 0) + share * (forehead[field] ?? 0)
  }
}

/** How far chroma is from the skin's, in levels, if the skin may have more or less of it. All are centred on 0. */
function chromaOff(u: number, v: number, skinU: number, skinV: number): number {
  const along = (u * skinU + v * skinV) / Math.max(1, skinU * skinU + skinV * skinV)
  const share = Math.min(mostChroma, Math.max(leastChroma, along))
  return Math.abs(u - skinU * share) + Math.abs(v - skinV * share)
}

/** By grid cell: number of skin pixels, sum of their luma, and its local mean. */
type Luma = Record<'count' | 'sums' | 'means', Float32Array>
/** How far from the local mean counts at most, as shares of it. */
type Bounds = Record<'lightest' | 'darkest', number>

/**
 * By cell: number of pixels times how far the means of both lumas are from their local means.
 * Loops, as in all that is done for each frame: callbacks cost more than the arithmetic.
 */
function writeProducts(to: Float32Array, one: Luma, two: Luma, bounds: Bounds): void {
  for (let at = 0; at < to.length; at += 1) {
    const pixels = one.count[at] ?? 0
    if (pixels >= 1) to[at] = pixels * offAt(one, at, bounds) * offAt(two, at, bounds)
  }
}

function offAt({ count, sums, means }: Luma, at: number, { lightest, darkest }: Bounds): number {
  const mean = means[at] ?? 0
  const most = Math.max(8, mean - 16)
  return Math.max(-darkest * most, Math.min(lightest * most, (sums[at] ?? 0) / (count[at] ?? 1) - mean))
}

type Field = Float32Array
type Seven = [Field, Field, Field, Field, Field, Field, Field]

/**
 * Per cell, one field after the other: number of pixels, and sums of drawn Y, frame Y, drawn U, frame U, drawn V, frame V. First of
 * the skin, then of the forehead, which hair may cover.
 */
function litSums({ columns, rows, cell }: Grid, { box, under }: FaceCrop, drawn: DrawnPlanes): [Field, Field] {
  const room = new Room()
  const planes = [drawn.y, under.y, drawn.u, under.u, drawn.v, under.v].map((plane) => room.copy(plane))
  const mask = room.copy(drawn.mask)
  const cells = columns * rows
  const bytes = cells * 7 * 4
  const sumsOf = (flag: number): Float32Array => {
    const to = room.take(bytes)
    room.bytes(to, bytes).fill(0)
    kernels.sum_lit(mask, ...planes, box.width / 2, box.height / 2, cell, columns, cells, flag, to)
    return new Float32Array(room.bytes(to, bytes).slice().buffer)
  }
  return [sumsOf(skinFlag), sumsOf(hairlineFlag)]
}

/** A loop, because `reduce` allocates a heap number per element. */
export function sumOf(field: Float32Array): number {
  let sum = 0
  for (let at = 0; at < field.length; at += 1) sum += field[at] ?? 0
  return sum
}
