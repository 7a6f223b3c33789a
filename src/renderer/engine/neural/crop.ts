/** @file Square crops of a face as planar RGB, and back: all red values of 0…1, then green, then blue. */
import { compose, identity, type Affine } from '../common/affine.ts'
import { yuvToRgb, shares } from '../media/pixels/color-model.ts'
import { chromaOf, type ColorModel, type Planes } from '../media/pixels/planes.ts'

/** A plane of bytes, `step` apart. */
interface Plane {
  data: Uint8Array | Uint8ClampedArray
  width: number
  height: number
  step: number
}

/**
 * Samples a square of `size`² values by the mean over each pixel's area: of bilinear samples, at most one pixel apart.
 * Pixels outside the plane repeat its edge.
 * @param map maps the square's pixels to the plane's
 */
function sample({ data, width, height, step }: Plane, map: Affine, size: number, to: Float32Array): void {
  const scale = Math.sqrt(Math.abs(map.a * map.e - map.b * map.d))
  // A tiny enlargement by rounding doesn't need a second sample.
  const taps = Math.max(1, Math.ceil(scale - 1e-3))
  const [maxX, maxY] = [width - 1, height - 1]
  const line = width * step
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      let sum = 0
      for (let tap = 0; tap < taps * taps; tap += 1) {
        const u = column + ((tap % taps) + 0.5) / taps
        const v = row + (((tap / taps) | 0) + 0.5) / taps
        const x = Math.min(maxX, Math.max(0, map.a * u + map.b * v + map.c - 0.5))
        const y = Math.min(maxY, Math.max(0, map.d * u + map.e * v + map.f - 0.5))
        const [left, top] = [x | 0, y | 0]
        const right = left < maxX ? step : 0
        const at = top * line + left * step
        const below = top < maxY ? at + line : at
        const [fx, fy] = [x - left, y - top]
        const upper = (data[at] ?? 0) + ((data[at + right] ?? 0) - (data[at] ?? 0)) * fx
        const lower = (data[below] ?? 0) + ((data[below + right] ?? 0) - (data[below] ?? 0)) * fx
        sum += upper + (lower - upper) * fy
      }
      to[row * size + column] = sum / (taps * taps)
    }
  }
}

/** @param map maps the crop's pixels to the frame's coded pixels */
export function cropOfPlanes(frame: Planes, color: ColorModel, map: Affine, size: number): Float32Array<ArrayBuffer> {
  const { width, height } = frame
  const count = size * size
  const crop = new Float32Array(3 * count)
  const [red, green, blue] = [0, 1, 2].map((channel) => crop.subarray(channel * count, (channel + 1) * count)) as Three
  const toChroma = compose({ ...identity, a: 0.5, e: 0.5 }, map)
  const chroma = { width: chromaOf(width), height: chromaOf(height), step: 1 }
  sample({ data: frame.y, width, height, step: 1 }, map, size, green)
  sample({ data: frame.u, ...chroma }, toChroma, size, blue)
  sample({ data: frame.v, ...chroma }, toChroma, size, red)
  const { black, scale, redV, greenU, greenV, blueU } = yuvToRgb(color)
  for (let at = 0; at < count; at += 1) {
    const light = ((green[at] ?? 0) - black) * scale
    const [u, v] = [(blue[at] ?? 0) - 128, (red[at] ?? 0) - 128]
    red[at] = clamped((light + redV * v) / 255)
    green[at] = clamped((light - greenU * u - greenV * v) / 255)
    blue[at] = clamped((light + blueU * u) / 255)
  }
  return crop
}

/** @param map maps the crop's pixels to the picture's */
export function cropOfRgba(
  { rgba, width, height }: { rgba: Uint8ClampedArray; width: number; height: number },
  map: Affine,
  size: number,
): Float32Array<ArrayBuffer> {
  const count = size * size
  const crop = new Float32Array(3 * count)
  for (let channel = 0; channel < 3; channel += 1) {
    const plane = { data: rgba.subarray(channel), width, height, step: 4 }
    sample(plane, map, size, crop.subarray(channel * count, (channel + 1) * count))
  }
  for (let at = 0; at < crop.length; at += 1) crop[at] = (crop[at] ?? 0) / 255
  return crop
}

/** The Y, U and V planes of a crop, all of its full size, in 8 bits. */
export function yuvOf(crop: Float32Array, { matrix, full }: ColorModel): [Uint8Array, Uint8Array, Uint8Array] {
  const count = crop.length / 3
  const [kr, kb] = shares[matrix]
  const [lumaScale, black, chromaScale] = full ? [255, 0, 255] : [219, 16, 224]
  const [y, u, v] = [new Uint8Array(count), new Uint8Array(count), new Uint8Array(count)]
  for (let at = 0; at < count; at += 1) {
    const [red, blue] = [crop[at] ?? 0, crop[at + 2 * count] ?? 0]
    const luma = kr * red + (1 - kr - kb) * (crop[at + count] ?? 0) + kb * blue
    y[at] = luma * lumaScale + black + 0.5
    u[at] = Math.min(255, ((blue - luma) / (2 - 2 * kb)) * chromaScale + 128.5)
    v[at] = Math.min(255, ((red - luma) / (2 - 2 * kr)) * chromaScale + 128.5)
  }
  return [y, u, v]
}

type Three = [Float32Array, Float32Array, Float32Array]
type Rgb = readonly [number, number, number]

/** Prepares a crop for a model, in place: (value − mean) ÷ std. */
export function normalise<T extends Float32Array>(crop: T, { mean, std }: { mean: Rgb; std: Rgb }): T {
  const count = crop.length / 3
  for (let at = 0; at < crop.length; at += 1) {
    const channel = (at / count) | 0
    crop[at] = ((crop[at] ?? 0) - (mean[channel] ?? 0)) / (std[channel] ?? 1)
  }
  return crop
}

/** Turns a model's output into a crop, in place: value · std + mean if the model asks for it, clipped to 0…1. */
export function denormalise(
  output: Float32Array,
  { mean, std, denormalise: scaled }: { mean: Rgb; std: Rgb; denormalise: boolean },
): Float32Array {
  const count = output.length / 3
  for (let at = 0; at < output.length; at += 1) {
    const channel = (at / count) | 0
    const value = output[at] ?? 0
    output[at] = clamped(scaled ? value * (std[channel] ?? 1) + (mean[channel] ?? 0) : value)
  }
  return output
}

const clamped = (value: number): number => (value < 0 ? 0 : value > 1 ? 1 : value)
