/**
 * @file Keys as text, such as "alt+shift+mod+S": read from a key press, checked, and as an accelerator of a menu. `mod`
 * is ⌘ on a Mac and Ctrl elsewhere; `ctrl` is a Mac's Control key. Pure.
 */

/** The user's own keys by action, in place of its default keys. */
export type Shortcuts = Readonly<Record<string, readonly string[] | undefined>>

/** What a key event of a page or of a window says. */
export interface KeyPress {
  /** What the key types, or its name. */
  readonly key: string
  /** Where the key is, as on an American keyboard. */
  readonly code: string
  readonly shift: boolean
  readonly ctrl: boolean
  readonly alt: boolean
  readonly meta: boolean
  readonly altGraph: boolean
}

const names: Readonly<Record<string, string>> = {
  ' ': 'space',
  '+': 'plus',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}

const isMark = (name: string): boolean => name === 'plus' || /^[^A-Z\d]$/u.test(name)

/** Keys are named by what they type, but by their place where that is no Latin letter or a digit needs Shift. */
function keyName({ key, code, shift, alt, meta, altGraph }: KeyPress, mac: boolean): string {
  if (Array.from(key).length > 1) return names[key] ?? (/^F\d+$/.test(key) ? key : key.toLowerCase())
  const typed = Array.from(key.toUpperCase()).length === 1 ? key.toUpperCase() : key
  const [, kind, place] = /^(Key|Digit)(.)$/.exec(code) ?? []
  const isAscii = /^[!-~]$/.test(typed)
  if (place === undefined || altGraph || /^[A-Z\d]$/.test(typed)) return names[typed] ?? typed
  // With ⌥ a Mac's key types another character.
  if (mac && alt) return meta || !isAscii ? place : typed
  const isFree = kind === 'Digit' ? !shift : !isAscii
  return isFree ? place : (names[typed] ?? typed)
}

/** The keys of a press. */
export function keysOf(press: KeyPress, mac: boolean): string {
  const { shift, ctrl, alt, meta, altGraph } = press
  const name = keyName(press, mac)
  // Whether a mark needs Shift, ⌥ or AltGr (Ctrl and Alt on Windows) depends on the keyboard layout.
  const chooses = altGraph || (mac && alt && !meta && isMark(name))
  const parts = {
    ctrl: mac && ctrl,
    meta: !mac && meta,
    alt: alt && !chooses,
    shift: shift && !isMark(name),
    mod: mac ? meta : ctrl && !altGraph,
  }
  return [...Object.entries(parts).flatMap(([part, on]) => (on ? [part] : [])), name].join('+')
}

const pattern = /^(?:ctrl\+)?(?:alt\+)?(?:shift\+)?(?:mod\+)?(?:[A-Z\d]|[^\sA-Za-z\d+]|F\d{1,2}|[a-z]{2,12})$/u

const textKeys = ['A', 'C', 'V', 'X', 'Y', 'Z', 'left', 'right', 'up', 'down', 'backspace', 'delete', 'home', 'end']
const taken: Readonly<Record<'text' | 'system', ReadonlySet<string>>> = {
  text: new Set([
    ...textKeys.flatMap((key) => [`mod+${key}`, `shift+mod+${key}`]),
    ...['tab', 'shift+tab', 'enter', 'escape', 'backspace', 'shift+backspace', 'shift+delete', 'shift+space'],
  ]),
  system: new Set([
    ...['F11', 'F12', 'shift+F10', 'contextmenu', 'alt+F4', 'alt+space', 'alt+tab', 'alt+escape', 'mod+space'],
    ...['mod+Q', 'mod+W', 'mod+H', 'mod+M', 'mod+escape', 'shift+mod+escape', 'mod+tab', 'alt+mod+delete', 'meta'],
  ]),
}

export const isKeys = (text: string): boolean => pattern.test(text)

/** Why keys can't be chosen for an action; null: they can. Keys that can't be written are the system's. */
export function refusalOf(keys: string): keyof typeof taken | null {
  if (taken.text.has(keys)) return 'text'
  return taken.system.has(keys) || !isKeys(keys) || keys.startsWith('ctrl+') ? 'system' : null
}

/** Whether a press has only begun: modifiers, and keys that wait for another. */
export const isUnfinished = ({ key }: Pick<KeyPress, 'key'>): boolean =>
  /^(?:Shift|Control|Alt|AltGraph|Meta|Dead|CapsLock|NumLock|Fn|Process|Unidentified|Hyper|Super)$/.test(key)

/** Whether keys mean something else while somebody types: those without mod, except F keys, and those of text fields. */
export const typesText = (keys: string): boolean => taken.text.has(keys) || !/(?:^|\+)(?:mod\+|F\d)/.test(keys)

const accelerators: Readonly<Record<string, string>> = {
  ...{ mod: 'CmdOrCtrl', ctrl: 'Ctrl', alt: 'Alt', shift: 'Shift', plus: 'Plus', escape: 'Esc' },
  ...{ pageup: 'PageUp', pagedown: 'PageDown' },
}

/** Keys in the notation of Electron's menus; undefined if it has none for them. */
export function acceleratorOf(keys: string): string | undefined {
  if (!/^[!-~]+$/.test(keys)) return undefined
  return keys
    .split('+')
    .map((part) => accelerators[part] ?? `${part.charAt(0).toUpperCase()}${part.slice(1)}`)
    .join('+')
}
