/** @file What a menu holds, and where it opens. */
import type { Component } from 'svelte'

export interface MenuItem {
  readonly label: string
  readonly icon?: Component<{ class?: string }> | undefined
  /** A second line, and whether it is a warning. */
  readonly note?: string | undefined
  readonly warn?: boolean | undefined
  /** "mod+shift+S" */
  readonly keys?: string | undefined
  /** One of a choice: shown with a tick when true. */
  readonly checked?: boolean | undefined
  readonly disabled?: boolean | undefined
  /** A line above it. */
  readonly divided?: boolean | undefined
  readonly run: () => void
}

/** Edges of what the menu belongs to, in CSS pixels of the window; a point for a right click. */
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

/** Left and top of a menu: below its anchor, above when there is no room, always inside the window. */
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
