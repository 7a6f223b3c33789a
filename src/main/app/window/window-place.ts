/** @file Initial bounds of the studio window. Pure. */
import type { Rectangle } from 'electron'

const minSize = { width: 640, height: 480 }
const firstSize = { width: 1280, height: 800 }

interface Opening {
  /** Without `x` and `y` the system chooses the position. */
  bounds: { x?: number; y?: number; width: number; height: number }
  min: { width: number; height: number }
}

/**
 * Bounds and minimum size (DIP) within the work area of the display that shows most of the window.
 * @param place of the last run
 * @param workAreas of all displays, the primary one first
 */
export function openingOf(place: Rectangle | null, workAreas: readonly [Rectangle, ...Rectangle[]]): Opening {
  const [primary] = workAreas
  const shown = place && workAreas.toSorted((a, b) => overlap(b, place) - overlap(a, place))[0]
  const isVisible = place !== null && shown != null && overlap(shown, place) > 0
  const area = isVisible ? shown : primary
  const min = { width: Math.min(minSize.width, area.width), height: Math.min(minSize.height, area.height) }
  const wanted = place ?? firstSize
  const size = {
    width: Math.min(Math.max(wanted.width, min.width), area.width),
    height: Math.min(Math.max(wanted.height, min.height), area.height),
  }
  if (!isVisible) return { bounds: size, min }
  return {
    bounds: {
      x: clamp(place.x, area.x, area.x + area.width - size.width),
      y: clamp(place.y, area.y, area.y + area.height - size.height),
      ...size,
    },
    min,
  }
}

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max)

/** Area of the intersection of two rectangles. */
function overlap(a: Rectangle, b: Rectangle): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  return Math.max(0, width) * Math.max(0, height)
}
