/** @file The keys that work anywhere. Views add their own; what one of them takes does not come here. */
import type { Studio } from './state/studio.svelte.ts'

/** Whether a key press is meant for a field or a control that types. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'button'].includes(target.type)

/** ⌘ on a Mac, Ctrl elsewhere, and no other modifier but Shift. */
export const withMod = (event: KeyboardEvent, mac: boolean): boolean =>
  (mac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey) && !event.altKey

export function globalKey(event: KeyboardEvent, studio: Studio): void {
  if (event.defaultPrevented || event.isComposing) return
  if (event.key === 'Escape') {
    if (document.fullscreenElement) return
    if (event.target instanceof HTMLInputElement && isTyping(event.target)) event.target.blur()
    else if (studio.library.chosen.size > 0 && studio.routes.route.view === 'library') studio.library.clear()
    else if (studio.routes.route.view === 'task' || studio.routes.route.view === 'settings') studio.routes.back()
    return
  }
  if (!withMod(event, studio.app.info.platform === 'mac') || event.shiftKey) return
  const key = event.key.toLowerCase()
  if (key === 'z' && isTyping(event.target)) return
  const command = ({ n: 'new-swap', l: 'library', ',': 'settings', f: 'search', z: 'undo' } as const)[key]
  if (command === undefined) return
  event.preventDefault()
  studio.command(command)
}
