/** A rectangle of pixels. `left, top` is its position in the coordinates of what is drawn. */
export interface Canvas {
  left: number
  top: number
  width: number
  height: number
}
