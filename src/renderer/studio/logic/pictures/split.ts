/** @file Position of the divider, in percent from the left. */

/** New position after a key press, or null. Arrows move 1 %, with Shift 10 %; Home and End move to the edges. */
export function splitByKey(event: { readonly key: string; readonly shiftKey: boolean }, split: number): number | null {
  const step = event.shiftKey ? 10 : 1
  switch (event.key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, split - step)
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(100, split + step)
    case 'Home':
      return 0
    case 'End':
      return 100
    default:
      return null
  }
}

/** Position under the pointer. Lengths in CSS pixels. */
export const splitByPointer = (clientX: number, box: { readonly left: number; readonly width: number }): number =>
  Math.max(0, Math.min(100, ((clientX - box.left) / Math.max(1, box.width)) * 100))
