/** @file The keyboard's place after a change of view: the view itself, unless something in it took the focus. */
export function focusMain(element: HTMLElement): void {
  element.tabIndex = -1
  queueMicrotask(() => {
    const { activeElement } = document
    if (activeElement === null || activeElement === document.body) element.focus({ preventScroll: true })
  })
}
