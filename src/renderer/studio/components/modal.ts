/** @file Modal dialogs. */
import type { Actions } from '../state/app/actions.svelte.ts'

/**
 * Shows a modal dialog; until it leaves the page, no action is possible. Escape calls `onclose` at once: the next key
 * may come before the dialog's `close` event. Returns what to call when it leaves the page.
 */
export function showModal(element: HTMLDialogElement, actions: Actions, onclose: () => void): () => void {
  const before = document.activeElement
  element.showModal()
  const unblock = actions.block()
  element.addEventListener('cancel', (event) => {
    event.preventDefault()
    onclose()
  })
  return () => {
    unblock()
    // Chromium gives the focus back when a dialog closes, but not when it is removed.
    if (document.activeElement === document.body && before instanceof HTMLElement) before.focus({ preventScroll: true })
  }
}
