/** @file Focus after the focused control is gone. */
import { tick } from 'svelte'

/** What there is to do in the composer, the first thing first. */
const next = [
  '[data-slot] [data-cancel]',
  '[data-slot] .actions button',
  '.action-bar input[type=checkbox]:enabled:not(:checked)',
  '.action-bar .primary',
]

/** Focuses the next thing to do in the composer if the focus was on something that is gone. */
export async function focusNext(): Promise<void> {
  await tick()
  const { activeElement } = document
  if (activeElement !== null && activeElement !== document.body) return
  const found = next.map((selector) => document.querySelector<HTMLElement>(selector)).find((each) => each !== null)
  ;(found ?? document.querySelector<HTMLElement>('main'))?.focus({ preventScroll: true })
}
