/**
 * @file All shortcuts of the studio by view. Key handlers and the list that F1 shows use the same table.
 * Notation: "shift+mod+S"; `mod` is ⌘ on a Mac and Ctrl elsewhere.
 */
import { m } from '@shared/i18n/paraglide/messages.js'

interface Shortcut {
  /** Alternatives for the same action. */
  readonly keys: readonly string[]
  readonly label: () => string
}
type Table = Readonly<Record<string, Readonly<Record<string, Shortcut>>>>

export const shortcuts = {
  anywhere: {
    'new-swap': { keys: ['mod+N'], label: m.new_swap },
    library: { keys: ['mod+L'], label: m.library },
    settings: { keys: ['mod+,'], label: m.settings },
    queue: { keys: ['mod+J'], label: m.queue },
    search: { keys: ['mod+F'], label: m.search_library },
    undo: { keys: ['mod+Z'], label: m.shortcut_undo },
    back: { keys: ['escape'], label: m.shortcut_back },
    shortcuts: { keys: ['F1', '?'], label: m.shortcuts },
  },
  composer: {
    // For the list only: the paste event handles it, because menus of other programs send that too.
    paste: { keys: ['mod+V'], label: m.shortcut_paste },
    choose: { keys: ['mod+O'], label: m.shortcut_choose },
    options: { keys: ['mod+E'], label: m.options },
    swap: { keys: ['mod+enter'], label: m.swap },
    'part-start': { keys: ['I'], label: m.shortcut_part_start },
    'part-end': { keys: ['O'], label: m.shortcut_part_end },
    play: { keys: ['space'], label: m.play_part },
    proof: { keys: ['P'], label: m.proof },
  },
  proof: {
    previous: { keys: ['left'], label: m.shortcut_previous_moment },
    next: { keys: ['right'], label: m.shortcut_next_moment },
    original: { keys: ['B'], label: m.proof_hold },
    pause: { keys: ['space'], label: m.shortcut_pause_loop },
    // For the list only: the composer handles it.
    swap: { keys: ['mod+enter'], label: m.proof_swap_all },
  },
  /** On a person in the composer. */
  people: {
    face: { keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'], label: m.shortcut_face },
    stay: { keys: ['0'], label: m.stay_as_they_are },
    rename: { keys: ['F2'], label: m.rename_person },
    remove: { keys: ['delete', 'backspace'], label: m.not_a_person },
  },
  /** In the view that moves clips between people; undo is the same as anywhere. */
  correct: {
    go: { keys: ['left', 'right', 'up', 'down'], label: m.shortcut_move },
    extend: { keys: ['shift+left', 'shift+right', 'shift+up', 'shift+down'], label: m.shortcut_extend },
    move: { keys: ['M'], label: m.move_to },
    'new-person': { keys: ['N'], label: m.new_person },
    rename: { keys: ['F2'], label: m.rename_person },
    remove: { keys: ['delete', 'backspace'], label: m.not_a_person },
    redo: { keys: ['shift+mod+Z'], label: m.redo },
  },
  queue: {
    go: { keys: ['up', 'down'], label: m.shortcut_queue_go },
    move: { keys: ['alt+up', 'alt+down'], label: m.shortcut_queue_move },
    ends: { keys: ['alt+home', 'alt+end'], label: m.shortcut_queue_ends },
    pause: { keys: ['space'], label: m.shortcut_queue_pause },
  },
  library: {
    move: { keys: ['left', 'right', 'up', 'down'], label: m.shortcut_move },
    extend: { keys: ['shift+left', 'shift+right', 'shift+up', 'shift+down'], label: m.shortcut_extend },
    open: { keys: ['enter'], label: m.open },
    select: { keys: ['space'], label: m.shortcut_select },
    'select-all': { keys: ['mod+A'], label: m.shortcut_select_all },
    remove: { keys: ['delete', 'backspace'], label: m.remove },
  },
  /** For a swap that is open, or current in the library. All but renaming need a finished one. */
  swap: {
    rename: { keys: ['F2'], label: m.rename },
    'save-as': { keys: ['shift+mod+S'], label: m.save_as },
    reveal: { keys: ['alt+mod+R'], label: m.show_in_folder },
  },
  viewer: {
    play: { keys: ['space', 'K'], label: m.play_or_pause },
    'back-5': { keys: ['J'], label: m.shortcut_back_5 },
    'on-5': { keys: ['L'], label: m.shortcut_on_5 },
    'second-back': { keys: ['left'], label: m.shortcut_second_back },
    'second-on': { keys: ['right'], label: m.shortcut_second_on },
    'frame-back': { keys: [','], label: m.frame_back },
    'frame-on': { keys: ['.'], label: m.frame_on },
    start: { keys: ['home'], label: m.shortcut_start },
    end: { keys: ['end'], label: m.shortcut_end },
    divider: { keys: ['1'], label: m.mode_divider },
    side: { keys: ['2'], label: m.mode_side },
    before: { keys: ['3'], label: m.mode_before },
    after: { keys: ['4'], label: m.mode_after },
    'weak-previous': { keys: ['['], label: m.weak_previous },
    'weak-next': { keys: [']'], label: m.weak_next },
    'part-start': { keys: ['I'], label: m.shortcut_part_start },
    'part-end': { keys: ['O'], label: m.shortcut_part_end },
    repeat: { keys: ['R'], label: m.repeat },
    sound: { keys: ['M'], label: m.sound },
    'full-screen': { keys: ['F'], label: m.full_screen },
  },
  /** While a part of a finished video is selected. */
  review: {
    'swap-part': { keys: ['shift+enter'], label: m.swap_part_again },
    'leave-part': { keys: ['delete', 'backspace'], label: m.leave_original },
  },
} as const satisfies Table

export type ShortcutPlace = keyof typeof shortcuts
export type ShortcutName<Place extends ShortcutPlace> = keyof (typeof shortcuts)[Place]

const names: Record<string, string> = {
  ' ': 'space',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}

/** Name of the key in the table. With Alt, a Mac types another character, so use the physical key (`code`). */
function keyName(event: KeyboardEvent): string {
  const letter = event.altKey ? /^Key([A-Z])$/.exec(event.code)?.[1] : undefined
  if (letter !== undefined) return letter
  if (event.key.length === 1) return names[event.key] ?? event.key.toUpperCase()
  return names[event.key] ?? (/^F\d+$/.test(event.key) ? event.key : event.key.toLowerCase())
}

function fits(keys: string, event: KeyboardEvent, mac: boolean): boolean {
  const parts = keys.split('+')
  const key = parts.pop()
  if (key !== keyName(event)) return false
  // Whether a punctuation mark needs Shift, Alt or AltGr (Ctrl and Alt on Windows) depends on the keyboard layout.
  const isMark = /^[^A-Z\d]$/.test(key)
  if (isMark && parts.length === 0 && (event.altKey || event.getModifierState('AltGraph'))) return !event.metaKey
  const [mod, other] = mac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey]
  const shiftFits = isMark || parts.includes('shift') === event.shiftKey
  return mod === parts.includes('mod') && !other && event.altKey === parts.includes('alt') && shiftFits
}

/** The shortcut of `place` that matches a key press, or null. */
export function shortcutOf<Place extends ShortcutPlace>(
  event: KeyboardEvent,
  place: Place,
  mac: boolean,
): ShortcutName<Place> | null {
  const table: Readonly<Record<string, Shortcut>> = shortcuts[place]
  const found = Object.keys(table).find((name) => table[name]?.keys.some((keys) => fits(keys, event, mac)))
  // Object.keys loses the type of the keys.
  return (found as ShortcutName<Place> | undefined) ?? null
}
