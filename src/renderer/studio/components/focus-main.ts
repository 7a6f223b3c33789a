/** @file The keyboard's place after a change of view. */

/** Focuses the view unless something in it took the focus. `within`: what to focus instead of the view, if it is there. */
export function focusMain(element: HTMLElement, within?: () => HTMLElement | null | undefined): void {
  element.tabIndex = -1
  queueMicrotask(() => {
    const { activeElement } = document
    if (activeElement === null || activeElement === document.body)
      (within?.() ?? element).focus({ preventScroll: true })
  })
}
