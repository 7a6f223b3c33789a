/**
 * @file Zoom and pan of a picture in a view, along one axis at a time. Lengths are CSS pixels; a scale is CSS pixels per
 * pixel of the picture; a centre is the place in the picture that is in the middle of the view, 0…1.
 */

export interface Size {
  readonly width: number
  readonly height: number
}
export interface Point {
  readonly x: number
  readonly y: number
}

/** Zooms that the keys step through. 1 shows each pixel of the picture as one of the screen. */
export const zoomSteps = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8] as const
export const maxZoom = 8
/** Zooms closer than this count as equal. */
const sameZoom = 0.001

/** The scale that shows the whole picture as large as possible; 0 before the view has a size. */
export const fitScale = (picture: Size, view: Size): number =>
  Math.min(view.width / picture.width, view.height / picture.height)

/** The nearest centre that shows nothing beyond the picture's edges. A picture that is smaller than the view is centred. */
export function limitCentre(centre: number, length: number, view: number): number {
  const half = view / 2 / length
  return half < 0.5 ? Math.max(half, Math.min(centre, 1 - half)) : 0.5
}

/** Where the picture begins in the view: negative if its beginning is not shown. */
export const pictureStart = (centre: number, length: number, view: number): number => view / 2 - centre * length

/** The centre after a change of length that leaves the place of the picture at `point` of the view where it is. */
export function centreAround(point: number, centre: number, length: number, newLength: number, view: number): number {
  const share = (point - pictureStart(centre, length, view)) / length
  return limitCentre(share + (view / 2 - point) / newLength, newLength, view)
}

/** The next zoom in a direction, between `min` and `max`, which count as steps. */
export function nextZoom(zoom: number, direction: 1 | -1, min: number, max: number): number {
  const steps = [min, ...zoomSteps.filter((step) => step > min && step < max), max]
  return direction > 0
    ? (steps.find((step) => step > zoom + sameZoom) ?? max)
    : (steps.findLast((step) => step < zoom - sameZoom) ?? min)
}

/** Factor of a turn of the wheel, or of a pinch, which arrives as a wheel event with Ctrl. */
export function wheelFactor({
  deltaY,
  deltaMode,
  ctrlKey,
}: Pick<WheelEvent, 'deltaY' | 'deltaMode' | 'ctrlKey'>): number {
  const pixels = deltaMode === 1 ? deltaY * 16 : deltaY
  // A pinch is made of small deltas. One event never does more than a notch of a wheel.
  const turn = Math.max(-0.25, Math.min(0.25, pixels * (ctrlKey ? -0.01 : -0.0025)))
  return Math.exp(turn)
}
