/** @file Scales pictures down with a Lanczos filter (a = 3). It spans all pixels of the source, so nothing aliases. */
import type { Size } from '@shared/tasks/output.ts'
import { kernels, Room } from '../../kernels/kernels.ts'
import { chromaOf, planesByteLength, planesOver } from './planes.ts'

/** Each value of the result is the sum of `taps` values of the source from its first one on. */
interface Weights {
  firsts: Int32Array
  taps: number
  /** `taps` for each value; their sum is `one`. */
  weights: Int16Array
}

const lobes = 3
const one = 1 << 14

function lanczos(x: number): number {
  if (x === 0) return 1
  const at = Math.PI * x
  return Math.abs(x) < lobes ? (lobes * Math.sin(at) * Math.sin(at / lobes)) / (at * at) : 0
}

/**
 * @param shift of the source in its pixels
 * @param multiple of `taps`; those added have no weight
 */
function weightsOf(from: number, to: number, shift: number, multiple: number): Weights {
  const scale = from / to
  const reach = lobes * Math.max(1, scale)
  const count = Math.min(from, Math.ceil(2 * reach) + 1)
  const taps = Math.ceil(count / multiple) * multiple
  const firsts = new Int32Array(to)
  const weights = new Int16Array(to * taps)
  for (let at = 0; at < to; at += 1) {
    const centre = (at + 0.5) * scale - 0.5 + shift
    const start = Math.ceil(centre - reach)
    const first = Math.max(0, Math.min(from - count, start))
    const exact = new Float64Array(count)
    // Beyond its edges, the source continues with its last value.
    for (let index = start; index <= centre + reach; index += 1) {
      const inside = Math.max(first, Math.min(first + count - 1, index))
      exact[inside - first] = (exact[inside - first] ?? 0) + lanczos((index - centre) / Math.max(1, scale))
    }
    const sum = exact.reduce((total, weight) => total + weight, 0)
    const whole = exact.map((weight) => Math.round((weight * one) / sum))
    const largest = whole.indexOf(Math.max(...whole))
    whole[largest] = (whole[largest] ?? 0) + one - whole.reduce((total, weight) => total + weight, 0)
    weights.set(whole, at * taps)
    firsts[at] = first
  }
  return { firsts, taps, weights }
}

/** Scales single planes. Also larger sides are possible, for pixels that aren't square. */
export class Scaler {
  readonly #columns: Weights
  readonly #rows: Weights

  /** @param shiftX of the source, in its pixels */
  constructor(
    private readonly from: Size,
    private readonly to: Size,
    shiftX = 0,
  ) {
    this.#columns = weightsOf(from.height, to.height, 0, 1)
    this.#rows = weightsOf(from.width, to.width, shiftX, 8)
  }

  /** @param to result */
  scale(plane: Uint8Array, to: Uint8Array): void {
    const room = new Room()
    const { width } = this.from
    const { width: toWidth, height: toHeight } = this.to
    const [columns, rows] = [this.#columns, this.#rows]
    const from = room.copy(plane)
    const between = room.take(width * toHeight * 2)
    const line = room.take(width * 4)
    const out = room.take(toWidth * toHeight)
    const down = [room.copy(columns.firsts), room.copy(columns.weights), columns.taps] as const
    const across = [room.copy(rows.firsts), room.copy(rows.weights), rows.taps] as const
    kernels.scale_columns(from, width, ...down, between, toHeight, line)
    kernels.scale_rows(between, width, ...across, out, toWidth, toHeight)
    to.set(room.bytes(out, to.length))
  }
}

/** Scales I420 frames. */
export class PlaneScaler {
  readonly #luma: Scaler
  readonly #chroma: Scaler

  constructor(
    private readonly from: Size,
    private readonly to: Size,
  ) {
    const chroma = ({ width, height }: Size): Size => ({ width: chromaOf(width), height: chromaOf(height) })
    this.#luma = new Scaler(from, to)
    // Chroma samples are at the left of each pair of pixels (ITU-T H.264, E.2.1: chroma_loc_type 0).
    this.#chroma = new Scaler(chroma(from), chroma(to), (1 - from.width / to.width) / 4)
  }

  scale(frame: ArrayBuffer): ArrayBuffer {
    const scaled = new ArrayBuffer(planesByteLength(this.to.width, this.to.height))
    const from = planesOver(frame, this.from.width, this.from.height)
    const to = planesOver(scaled, this.to.width, this.to.height)
    this.#luma.scale(from.y, to.y)
    this.#chroma.scale(from.u, to.u)
    this.#chroma.scale(from.v, to.v)
    return scaled
  }
}
