/**
 * @file Draws a label into frames and pictures: white text on a dark box, which can be read on any background. On a video:
 * on which frames it is.
 */
import type { Size } from '@shared/tasks/output.ts'
import { identity, type Affine, uprightToCoded } from '../../common/affine.ts'
import { draw, type Shown } from '../pixels/picture.ts'
import { chromaOf, meanOfFour, type Planes } from '../pixels/planes.ts'
import { labelLayout, type LabelChoice } from './label-layout.ts'
import { startSeconds } from '@shared/options/label.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'

const boxColor = 'rgb(0 0 0 / 0.65)'

/** A label's pixels: their grey, 0…255, and how opaque they are, 0…255. */
export class LabelDrawing {
  /** In the coded picture; even. */
  readonly #left: number
  readonly #top: number
  readonly #width: number
  readonly #height: number
  readonly #grey: Uint8Array
  readonly #alpha: Uint8Array
  /** Of two by two pixels. */
  readonly #chromaAlpha: Uint8Array

  private constructor(rgba: Uint8ClampedArray, left: number, top: number, { width, height }: Size) {
    ;[this.#left, this.#top, this.#width, this.#height] = [left, top, width, height]
    this.#grey = new Uint8Array(width * height)
    this.#alpha = new Uint8Array(width * height)
    for (let at = 0; at < this.#grey.length; at += 1) {
      this.#grey[at] = rgba[at * 4] ?? 0
      this.#alpha[at] = rgba[at * 4 + 3] ?? 0
    }
    this.#chromaAlpha = new Uint8Array((width >> 1) * (height >> 1))
    for (let row = 0, at = 0; row + 1 < height; row += 2)
      for (let column = 0; column + 1 < width; column += 2, at += 1)
        this.#chromaAlpha[at] = meanOfFour(this.#alpha, row * width + column, width)
  }

  /**
   * @param shown size of the upright picture
   * @param coded size as stored
   * @param view maps upright to coded pixels
   * @returns null if the picture is too small for a label
   */
  static of(choice: LabelChoice, shown: Size, coded: Size = shown, view: Affine = identity): LabelDrawing | null {
    const layout = labelLayout(choice, shown)
    if (!layout) return null
    const { box, letters, scale } = layout
    const corners = [0, 1].flatMap((right) => [0, 1].map((low) => [box.x + right * box.width, box.y + low * box.height] as const)) // prettier-ignore
    const across = corners.map(([x, y]) => view.a * x + view.b * y + view.c)
    const down = corners.map(([x, y]) => view.d * x + view.e * y + view.f)
    // Even edges, because a pixel of the chroma planes has two by two of them.
    const [left, top] = [Math.min(...across), Math.min(...down)].map((edge) => Math.max(0, Math.floor(edge)) & ~1)
    if (left === undefined || top === undefined) return null
    const width = Math.min(coded.width, Math.ceil(Math.max(...across) / 2) * 2) - left
    const height = Math.min(coded.height, Math.ceil(Math.max(...down) / 2) * 2) - top
    const canvas = draw(width, height, (context) => {
      context.setTransform(view.a, view.d, view.b, view.e, view.c - left, view.f - top)
      // The edges of round corners may spread over the box.
      context.beginPath()
      context.rect(box.x, box.y, box.width, box.height)
      context.clip()
      context.fillStyle = boxColor
      context.beginPath()
      context.roundRect(box.x, box.y, box.width, box.height, box.height / 6)
      context.fill()
      context.fillStyle = 'white'
      for (const { path, x, y } of letters) {
        context.save()
        context.translate(x, y)
        context.scale(scale, scale)
        context.fill(new Path2D(path))
        context.restore()
      }
    })
    const rgba = canvas.getContext('2d')?.getImageData(0, 0, width, height).data
    return rgba ? new LabelDrawing(rgba, left, top, { width, height }) : null
  }

  /** @param planes of even size. @param full whether luma has the full range, 0…255 */
  onPlanes({ width, y, u, v }: Planes, full: boolean): void {
    const [black, scale] = full ? [0, 1] : [16, 219 / 255]
    const stride = chromaOf(width)
    for (let row = 0, at = 0; row < this.#height; row += 1) {
      for (let column = 0; column < this.#width; column += 1, at += 1) {
        const alpha = this.#alpha[at] ?? 0
        const to = (this.#top + row) * width + this.#left + column
        y[to] = mixed(y[to] ?? 0, black + (this.#grey[at] ?? 0) * scale, alpha)
      }
    }
    for (let row = 0, at = 0; row < this.#height >> 1; row += 1) {
      for (let column = 0; column < this.#width >> 1; column += 1, at += 1) {
        const alpha = this.#chromaAlpha[at] ?? 0
        const to = ((this.#top >> 1) + row) * stride + (this.#left >> 1) + column
        u[to] = mixed(u[to] ?? 0, 128, alpha)
        v[to] = mixed(v[to] ?? 0, 128, alpha)
      }
    }
  }

  /** Draws over translucent pixels, too. */
  onPixels({ rgba, width }: { rgba: Uint8ClampedArray; width: number }): void {
    for (let row = 0, at = 0; row < this.#height; row += 1) {
      for (let column = 0; column < this.#width; column += 1, at += 1) {
        const over = (this.#alpha[at] ?? 0) / 255
        if (over === 0) continue
        const to = ((this.#top + row) * width + this.#left + column) * 4
        const under = ((rgba[to + 3] ?? 0) / 255) * (1 - over)
        for (let channel = to; channel < to + 3; channel += 1)
          rgba[channel] = ((this.#grey[at] ?? 0) * over + (rgba[channel] ?? 0) * under) / (over + under)
        rgba[to + 3] = (over + under) * 255
      }
    }
  }
}

/** @param alpha of `over`, 0…255 */
const mixed = (under: number, over: number, alpha: number): number => Math.round(under + ((over - under) * alpha) / 255)

/** Tolerance in seconds when times are compared. */
const tolerance = 1e-3

/** Null: no label. */
export function labelChoiceOf({ label, labelLanguage }: SwapOptions): LabelChoice | null {
  return label === null || label === 'off' ? null : { label, language: labelLanguage ?? 'en' }
}

export class VideoLabel {
  private constructor(
    private readonly drawing: LabelDrawing,
    /** Time of the first frame without it, in seconds. */ private readonly until: number,
  ) {}

  /**
   * @param start time of the result's first frame, in seconds of the timestamps that `drawAt` gets
   * @returns null: no label
   */
  static of(
    options: SwapOptions,
    { rotation, flip }: Pick<Shown, 'rotation' | 'flip'>,
    { width, height, displayWidth, displayHeight }: Size & { displayWidth: number; displayHeight: number },
    start: number,
  ): VideoLabel | null {
    const choice = labelChoiceOf(options)
    if (!choice) return null
    const turned = rotation % 180 !== 0
    const shown = { width: turned ? displayHeight : displayWidth, height: turned ? displayWidth : displayHeight }
    const coded = { width, height }
    const drawing = LabelDrawing.of(choice, shown, coded, uprightToCoded(coded, { ...shown, rotation, flip }))
    const until = choice.label === 'eu' ? Infinity : start + startSeconds - tolerance
    return drawing && new VideoLabel(drawing, until)
  }

  /** @param timestamp of the frame, in seconds. @param full whether luma has the full range */
  drawAt(timestamp: number, planes: Planes, full: boolean): void {
    if (timestamp < this.until) this.drawing.onPlanes(planes, full)
  }
}
