/** @file Global keyboard shortcuts. Views add their own; a key press that a view handles does not reach this file. */
import { shortcutOf } from '../logic/shortcuts.ts'
import type { Studio } from './studio.svelte.ts'

/** Whether the target of a key press accepts typing. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'button'].includes(target.type)

export function globalKey(event: KeyboardEvent, studio: Studio): void {
  if (event.defaultPrevented || event.isComposing) return
  const name = shortcutOf(event, 'anywhere', studio.app.info.platform === 'mac')
  if (name === null) return
  if (name === 'back') {
    if (document.fullscreenElement) void document.exitFullscreen()
    else if (event.target instanceof HTMLInputElement && isTyping(event.target)) event.target.blur()
    else if (studio.library.chosen.size > 0 && studio.routes.route.view === 'library') studio.library.clear()
    else if (studio.routes.route.view === 'task' || studio.routes.route.view === 'settings') studio.routes.back()
    return
  }
  if (isTyping(event.target) && (name === 'undo' || event.key === '?')) return
  event.preventDefault()
  if (name === 'shortcuts') studio.shortcutsShown = true
  else studio.command(name)
}
