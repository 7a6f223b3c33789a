/** @file Converts frames to upright pictures for previews, covers and crops. */
import { planesToRgba } from './color.ts'
import { draw } from './picture.ts'
import { halve, type ColorModel, type Planes } from './planes.ts'

/** How a player shows coded frames: size in pixels, rotation in degrees clockwise. */
export interface Shown {
  width: number
  height: number
  rotation: 0 | 90 | 180 | 270
  flip: boolean
}

/**
 * Draws a frame upright. It is halved until it is at most `maxWidth` pixels wide, which costs far less than scaling on
 * a canvas.
 */
export function stillOf(frame: Planes, color: ColorModel, shown: Shown, maxWidth: number): OffscreenCanvas {
  let small = frame
  let { width, height } = shown
  while (width > maxWidth) {
    small = halve(small)
    width = Math.round(width / 2)
    height = Math.round(height / 2)
  }
  const coded = draw(small.width, small.height, (context) => {
    context.putImageData(new ImageData(planesToRgba(small, color), small.width, small.height), 0, 0)
  })
  if (shown.rotation === 0 && !shown.flip && width === small.width && height === small.height) return coded
  const turned = shown.rotation % 180 !== 0
  return draw(width, height, (context) => {
    context.translate(width / 2, height / 2)
    if (shown.flip) context.scale(-1, 1)
    context.rotate((shown.rotation * Math.PI) / 180)
    const [across, down] = turned ? [height, width] : [width, height]
    context.drawImage(coded, -across / 2, -down / 2, across, down)
  })
}
