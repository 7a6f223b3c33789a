/**
 * Follows a pressed pointer until it is released, wherever it goes.
 * @param offset pixels from the pointer to the point that is dragged
 * @param onmove called with the point's place in the element, as a share of its width, 0…1
 */
export function followPointer(
  event: PointerEvent,
  element: HTMLElement,
  onmove: (share: number) => void,
  offset = 0,
): void {
  if (event.button > 0) return
  const { left, width } = element.getBoundingClientRect()
  const released = new AbortController()
  const { signal } = released
  const moved = ({ clientX }: PointerEvent): void =>
    onmove(Math.max(0, Math.min(1, (clientX + offset - left) / Math.max(1, width))))
  window.addEventListener('pointermove', moved, { signal })
  for (const end of ['pointerup', 'pointercancel'] as const)
    window.addEventListener(end, () => released.abort(), { signal })
}
