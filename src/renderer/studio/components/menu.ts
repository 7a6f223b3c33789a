/** @file Menu items and menu placement. */
import type { Component } from 'svelte'

export interface MenuItem {
  readonly label: string
  readonly icon?: Component<{ class?: string }> | undefined
  /** Media id of a face, in place of an icon. */
  readonly picture?: string | undefined
  /** A second line; `warn` marks it as a warning. */
  readonly note?: string | undefined
  readonly warn?: boolean | undefined
  /** For example "mod+shift+S". */
  readonly keys?: string | undefined
  /** Makes the item a radio item, with a tick when true. */
  readonly checked?: boolean | undefined
  readonly disabled?: boolean | undefined
  /** Draws a divider above the item. */
  readonly divided?: boolean | undefined
  readonly run: () => void
}

/** Edges of the element that the menu belongs to, in CSS pixels of the window; a point for a right click. */
export interface Anchor {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

export const pointAnchor = (event: MouseEvent): Anchor => ({
  left: event.clientX,
  right: event.clientX,
  top: event.clientY,
  bottom: event.clientY,
})

const margin = 8
const gap = 4

/** Returns left and top of a menu: below its anchor, or above if there is no room, always inside the window. */
export function placeMenu(
  anchor: Anchor,
  size: { width: number; height: number },
  window: { width: number; height: number },
  align: 'start' | 'end',
): { left: number; top: number } {
  const wanted = align === 'end' ? anchor.right - size.width : anchor.left
  const left = Math.max(margin, Math.min(wanted, window.width - size.width - margin))
  const below = anchor.bottom + gap
  const above = anchor.top - gap - size.height
  const fits = below + size.height <= window.height - margin
  return {
    left,
    top: fits || above < margin ? Math.max(margin, Math.min(below, window.height - size.height - margin)) : above,
  }
}

/**
 * Where a key moves the focus in a menu: arrows, which go round, Home, End, or the first letters of a text.
 * @param stops what can have the focus
 */
export function stopFor(
  { key, ctrlKey, metaKey }: KeyboardEvent,
  stops: readonly HTMLElement[],
): HTMLElement | undefined {
  const at = stops.findIndex((stop) => stop === document.activeElement)
  if (key === 'ArrowDown') return stops[(at + 1) % stops.length]
  if (key === 'ArrowUp') return stops.at(Math.max(0, at) - 1)
  if (key === 'Home') return stops[0]
  if (key === 'End') return stops.at(-1)
  if (key.length > 1 || ctrlKey || metaKey) return undefined
  const next = [...stops.slice(at + 1), ...stops.slice(0, at + 1)]
  return next.find((stop) => stop.textContent.trim().toLowerCase().startsWith(key.toLowerCase()))
}
