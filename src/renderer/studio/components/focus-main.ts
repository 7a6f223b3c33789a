/** @file Focus after a change of view. */

/** Focuses the view unless something already has focus. `within` returns an element to focus instead, if it exists. */
export function focusMain(element: HTMLElement, within?: () => HTMLElement | null | undefined): void {
  element.tabIndex = -1
  queueMicrotask(() => {
    const { activeElement } = document
    if (activeElement === null || activeElement === document.body)
      (within?.() ?? element).focus({ preventScroll: true })
  })
}
