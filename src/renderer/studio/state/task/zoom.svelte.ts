/**
 * @file Zoom and pan of two pictures of one shape, in step: both always show the same place at the same size. See
 * logic/pictures/zoom.ts for units. A zoom of 1 shows a pixel of the picture as a pixel of the screen.
 */
import { centreAround, fitScale, limitCentre, maxZoom, nextZoom, pictureStart } from '../../logic/pictures/zoom.ts'
import type { Point, Size } from '../../logic/pictures/zoom.ts'

export class Zoom {
  #view = $state.raw<Size>({ width: 0, height: 0 })
  /** Pixels of the screen per CSS pixel. */
  #ratio = $state(1)
  /** Null: the whole picture, at any size of the view. */
  #chosen = $state<number | null>(null)
  #centre = $state.raw<Point>({ x: 0.5, y: 0.5 })

  constructor(readonly picture: Size) {}

  /** The zoom that shows the whole picture. */
  readonly #fit = $derived.by(() => fitScale(this.picture, this.#view) * this.#ratio)
  readonly min = $derived(Math.min(this.#fit, 1))
  readonly #max = $derived(Math.max(this.#fit, maxZoom))
  readonly value = $derived(this.#chosen === null ? this.#fit : this.#limit(this.#chosen))
  /** Size of the whole picture. */
  readonly #size = $derived(this.#sizeAt(this.value))

  get isFit(): boolean {
    return this.#chosen === null
  }
  /** Part of the picture is outside of the view. */
  readonly isCut = $derived(this.#size.width > this.#view.width + 1 || this.#size.height > this.#view.height + 1)

  /** Size of what is shown, and the picture's place and size in it. */
  readonly box = $derived.by(() => {
    const centre = this.#limited(this.#centre)
    const onPixel = (length: number): number => Math.round(length * this.#ratio) / this.#ratio
    const { width, height } = this.#size
    return {
      width: Math.min(width, this.#view.width),
      height: Math.min(height, this.#view.height),
      picture: {
        x: onPixel(Math.min(0, pictureStart(centre.x, width, this.#view.width))),
        y: onPixel(Math.min(0, pictureStart(centre.y, height, this.#view.height))),
        width,
        height,
      },
    }
  })

  /** @param view the room for one picture @param ratio pixels of the screen per CSS pixel */
  measure(view: Size, ratio: number): void {
    this.#view = view
    this.#ratio = ratio
  }

  fit(): void {
    this.#chosen = null
    this.#centre = { x: 0.5, y: 0.5 }
  }

  /** @param at a point of what is shown (`box`) that stays where it is; without it, the middle */
  zoomTo(zoom: number, at: Point = { x: this.box.width / 2, y: this.box.height / 2 }): void {
    const { width, height } = this.#view
    if (width === 0 || height === 0) return
    const wanted = this.#limit(zoom)
    const [before, after] = [this.#size, this.#sizeAt(wanted)]
    const centre = this.#limited(this.#centre)
    // What is shown is in the middle of the view.
    const [x, y] = [at.x + (width - this.box.width) / 2, at.y + (height - this.box.height) / 2]
    this.#centre = {
      x: centreAround(x, centre.x, before.width, after.width, width),
      y: centreAround(y, centre.y, before.height, after.height, height),
    }
    this.#chosen = Math.abs(wanted - this.#fit) < 0.0001 ? null : wanted
  }

  /** Goes to the next zoom of the list. */
  step(direction: 1 | -1): void {
    this.zoomTo(nextZoom(this.value, direction, this.min, this.#max))
  }

  /** Between the whole picture and its pixels, at a point as in `zoomTo`. */
  toggle(at?: Point): void {
    if (!this.isFit) this.fit()
    else this.zoomTo(Math.abs(this.value - 1) < 0.01 ? 2 : 1, at)
  }

  /** Moves the picture, in CSS pixels. */
  pan(x: number, y: number): void {
    const { width, height } = this.#size
    if (width === 0 || height === 0) return
    const { x: atX, y: atY } = this.#limited(this.#centre)
    this.#centre = this.#limited({ x: atX - x / width, y: atY - y / height })
  }

  /** Moves what is shown by shares of its size. */
  look(x: number, y: number): void {
    this.pan(-x * this.#view.width, -y * this.#view.height)
  }

  #limit(zoom: number): number {
    return Math.max(this.min, Math.min(zoom, this.#max))
  }
  #sizeAt(zoom: number): Size {
    const scale = zoom / this.#ratio
    return { width: this.picture.width * scale, height: this.picture.height * scale }
  }
  #limited({ x, y }: Point): Point {
    return {
      x: limitCentre(x, this.#size.width, this.#view.width),
      y: limitCentre(y, this.#size.height, this.#view.height),
    }
  }
}
