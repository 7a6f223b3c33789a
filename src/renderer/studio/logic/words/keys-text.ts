/** @file Keys as people and screen readers read them. */
import { m } from '@shared/i18n/paraglide/messages.js'

const names: Readonly<Record<string, () => string>> = {
  ctrl: m.key_ctrl,
  shift: m.key_shift,
  enter: m.key_enter,
  delete: m.key_delete,
  backspace: m.key_backspace,
  escape: m.key_escape,
  space: m.key_space,
  plus: () => '+',
  home: m.key_home,
  end: m.key_end,
  left: m.key_left,
  right: m.key_right,
  up: m.key_up,
  down: m.key_down,
}

/** The parts of keys in the order of the system: on a Mac ⌘ comes last, elsewhere Ctrl comes first. */
export const keyParts = (keys: string, mac: boolean): string[] =>
  mac ? keys.split('+') : keys.split('+').toSorted((a, b) => Number(b === 'mod') - Number(a === 'mod'))

export function keyText(part: string, mac: boolean): string {
  if (part === 'mod') return mac ? m.key_command() : m.key_ctrl()
  if (part === 'alt') return mac ? m.key_option() : m.key_alt()
  return names[part]?.() ?? part
}

/** Keys such as "alt+mod+R" in words: "Ctrl Alt R". */
export const keysText = (keys: string, mac: boolean): string =>
  keyParts(keys, mac)
    .map((part) => keyText(part, mac))
    .join(' ')

const ariaNames: Readonly<Record<string, string>> = {
  ...{ ctrl: 'Control', left: 'ArrowLeft', right: 'ArrowRight', up: 'ArrowUp', down: 'ArrowDown' },
  ...{ pageup: 'PageUp', pagedown: 'PageDown', plus: 'Plus' },
}

/** Keys in the notation of aria-keyshortcuts. */
export const ariaKeys = (keys: string, mac: boolean): string =>
  keys
    .split('+')
    .map((part) => {
      if (part === 'mod') return mac ? 'Meta' : 'Control'
      return ariaNames[part] ?? `${part.charAt(0).toUpperCase()}${part.slice(1)}`
    })
    .join('+')
