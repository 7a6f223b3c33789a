/** @file Focus after a change of view. */
import { tick } from 'svelte'

/** Focuses the view unless something already has focus. `within` returns an element to focus instead, if it exists. */
export function focusMain(element: HTMLElement, within?: () => HTMLElement | null | undefined): void {
  element.tabIndex = -1
  queueMicrotask(() => {
    const { activeElement } = document
    if (activeElement === null || activeElement === document.body)
      (within?.() ?? element).focus({ preventScroll: true })
  })
}

/** Call after a change that removes the focused control: focuses the next one, unless another has the focus. */
export async function keepFocus(next: () => HTMLElement | null | undefined): Promise<void> {
  await tick()
  const { activeElement } = document
  if (activeElement === null || activeElement === document.body) next()?.focus({ preventScroll: true })
}

/** What there is to do in the composer, the first thing first. */
const composerControls = [
  '[data-slot] [data-cancel]',
  '[data-slot] .actions button',
  '.action-bar input[type=checkbox]:enabled:not(:checked)',
  '.action-bar .primary',
  'main',
]

/** {@link keepFocus} with the next thing to do in the composer. */
export const focusNext = (): Promise<void> =>
  keepFocus(() => {
    const found = composerControls.map((selector) => document.querySelector<HTMLElement>(selector))
    return found.find((each) => each !== null)
  })
