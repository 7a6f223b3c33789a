/**
 * @file Every action of the studio once, by the place where it works. The application menu, the key handlers, the
 * palette, the list of shortcuts and its settings use this table. Keys are written as in keys.ts, in its order.
 */
import { refusalOf, type Shortcuts } from '../settings/keys.ts'
import { m } from '../i18n/paraglide/messages.js'

interface Action {
  /** Default keys; alternatives for the same action. */
  readonly keys: readonly string[]
  /** The default keys on a Mac, if they are others. */
  readonly mac?: readonly string[]
  readonly label: () => string
  /** The menu that has the action. */
  readonly menu?: MenuName
  /** It lasts as long as the keys are held, so it has no other way. */
  readonly held?: true
  /** Its keys can't be changed: they are needed by text fields or the system, or are directions. */
  readonly fixed?: true
}
type Table = Readonly<Record<string, Readonly<Record<string, Action>>>>
/** `app`: the first menu on a Mac, the end of File elsewhere. `undo`: in Edit, only while nobody types. */
export type MenuName = 'app' | 'file' | 'undo' | 'edit' | 'view' | 'swap' | 'playback' | 'help'

/** If several places have an action for the same keys, the later place is meant. */
export const actions = {
  anywhere: {
    'new-swap': { keys: ['mod+N'], label: m.new_swap, menu: 'file' },
    palette: { keys: ['mod+K'], label: m.palette, menu: 'view' },
    library: { keys: ['mod+L'], label: m.library, menu: 'view' },
    queue: { keys: ['mod+J'], label: m.queue, menu: 'view' },
    settings: { keys: ['mod+,'], label: m.settings, menu: 'app' },
    verify: { keys: [], label: m.verify_file, menu: 'file' },
    search: { keys: ['mod+F'], label: m.search_library, menu: 'edit' },
    undo: { keys: ['mod+Z'], label: m.undo, menu: 'undo', fixed: true },
    redo: { keys: ['shift+mod+Z', 'mod+Y'], mac: ['shift+mod+Z'], label: m.redo, menu: 'undo', fixed: true },
    back: { keys: ['escape'], label: m.shortcut_back, fixed: true },
    shortcuts: { keys: ['F1', '?'], label: m.shortcuts, menu: 'help' },
  },
  composer: {
    // For the list only: the paste event handles it, because menus of other programs send that too.
    paste: { keys: ['mod+V'], label: m.shortcut_paste, fixed: true },
    choose: { keys: ['mod+O'], label: m.shortcut_choose, menu: 'file' },
    options: { keys: ['mod+E'], label: m.options, menu: 'swap' },
    preset: {
      keys: ['mod+1', 'mod+2', 'mod+3', 'mod+4', 'mod+5', 'mod+6', 'mod+7', 'mod+8', 'mod+9'],
      label: m.shortcut_preset,
      fixed: true,
    },
    swap: { keys: ['mod+enter'], label: m.swap, menu: 'swap' },
    'part-start': { keys: ['I'], label: m.shortcut_part_start, menu: 'swap' },
    'part-end': { keys: ['O'], label: m.shortcut_part_end, menu: 'swap' },
    'part-add': { keys: ['A'], label: m.part_add, menu: 'swap' },
    'part-previous': { keys: ['['], label: m.part_previous },
    'part-next': { keys: [']'], label: m.part_next },
    'part-remove': { keys: ['delete', 'backspace'], label: m.shortcut_part_remove },
    play: { keys: ['space'], label: m.play_part, menu: 'swap' },
    proof: { keys: ['P'], label: m.proof, menu: 'swap' },
  },
  proof: {
    previous: { keys: ['left'], label: m.shortcut_previous_moment },
    next: { keys: ['right'], label: m.shortcut_next_moment },
    original: { keys: ['B'], label: m.proof_hold, held: true },
    pause: { keys: ['space'], label: m.shortcut_pause_loop },
    leave: { keys: ['escape'], label: m.proof_close, fixed: true },
  },
  /** On a person in the composer. */
  people: {
    face: { keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'], label: m.shortcut_face, fixed: true },
    stay: { keys: ['0'], label: m.stay_as_they_are, fixed: true },
    rename: { keys: ['F2'], label: m.rename_it },
    remove: { keys: ['delete', 'backspace'], label: m.not_a_person },
  },
  /** In the view that moves clips between people; undo is the same as anywhere. */
  correct: {
    go: { keys: ['left', 'right', 'up', 'down'], label: m.shortcut_move, fixed: true },
    extend: { keys: ['shift+left', 'shift+right', 'shift+up', 'shift+down'], label: m.shortcut_extend, fixed: true },
    move: { keys: ['M'], label: m.move_to },
    split: { keys: ['S'], label: m.split_clip },
    'new-person': { keys: ['N'], label: m.new_person },
    rename: { keys: ['F2'], label: m.rename_it },
    remove: { keys: ['delete', 'backspace'], label: m.not_a_person },
  },
  queue: {
    go: { keys: ['up', 'down'], label: m.shortcut_queue_go, fixed: true },
    move: { keys: ['alt+up', 'alt+down'], label: m.shortcut_queue_move, fixed: true },
    ends: { keys: ['alt+home', 'alt+end'], label: m.shortcut_queue_ends, fixed: true },
    pause: { keys: ['space'], label: m.shortcut_queue_pause },
  },
  library: {
    move: { keys: ['left', 'right', 'up', 'down'], label: m.shortcut_move, fixed: true },
    extend: { keys: ['shift+left', 'shift+right', 'shift+up', 'shift+down'], label: m.shortcut_extend, fixed: true },
    open: { keys: ['enter'], label: m.open, menu: 'swap', fixed: true },
    select: { keys: ['space'], label: m.shortcut_select },
    'select-all': { keys: ['mod+A'], label: m.shortcut_select_all, fixed: true },
    remove: { keys: ['delete', 'backspace'], label: m.remove, menu: 'edit' },
    filter: { keys: ['F'], label: m.filter_add, menu: 'view' },
    // After `move`, which has the same keys elsewhere than on a set.
    fold: { keys: ['right', 'left'], label: m.shortcut_fold, fixed: true },
  },
  /** For a swap that is open, or current in the library. `tag`, `favourite` and those from `copy-files` act on the whole selection. */
  swap: {
    rename: { keys: ['F2'], label: m.rename, menu: 'file' },
    'save-as': { keys: ['shift+mod+S'], label: m.save_as, menu: 'file' },
    reveal: { keys: ['alt+mod+R'], label: m.show_in_folder, menu: 'file' },
    tag: { keys: ['T'], label: m.tag_add, menu: 'edit' },
    favourite: { keys: ['S'], label: m.favourite, menu: 'edit' },
    'open-in-player': { keys: ['alt+enter'], label: m.open_in_player, menu: 'file' },
    'copy-files': { keys: ['mod+C'], label: () => m.copy_file({ count: 1 }), fixed: true },
    'copy-paths': { keys: ['alt+mod+C'], label: () => m.copy_path({ count: 1 }), menu: 'file' },
    'save-copies': { keys: [], label: m.save_copies, menu: 'file' },
    trash: { keys: [], mac: ['mod+backspace'], label: m.move_to_trash_more, menu: 'file' },
    'another-face': { keys: [], label: m.another_face, menu: 'swap' },
  },
  viewer: {
    play: { keys: ['space', 'K'], label: m.play_or_pause, menu: 'playback' },
    'back-5': { keys: ['J'], label: m.shortcut_back_5, menu: 'playback' },
    'on-5': { keys: ['L'], label: m.shortcut_on_5, menu: 'playback' },
    'second-back': { keys: ['left'], label: m.shortcut_second_back, menu: 'playback' },
    'second-on': { keys: ['right'], label: m.shortcut_second_on, menu: 'playback' },
    'frame-back': { keys: [','], label: m.frame_back, menu: 'playback' },
    'frame-on': { keys: ['.'], label: m.frame_on, menu: 'playback' },
    start: { keys: ['home'], label: m.shortcut_start, menu: 'playback' },
    end: { keys: ['end'], label: m.shortcut_end, menu: 'playback' },
    divider: { keys: ['1'], label: m.mode_divider, menu: 'view' },
    side: { keys: ['2'], label: m.mode_side, menu: 'view' },
    before: { keys: ['3'], label: m.mode_before, menu: 'view' },
    after: { keys: ['4'], label: m.mode_after, menu: 'view' },
    flicker: { keys: ['5'], label: m.mode_flicker, menu: 'view' },
    'hold-before': { keys: ['B'], label: m.proof_hold, held: true },
    'zoom-in': { keys: ['plus', '='], label: m.zoom_in, menu: 'view' },
    'zoom-out': { keys: ['-'], label: m.zoom_out, menu: 'view' },
    'zoom-fit': { keys: ['0'], label: m.shortcut_zoom_fit, menu: 'view' },
    pan: { keys: ['shift+left', 'shift+right', 'shift+up', 'shift+down'], label: m.shortcut_pan, fixed: true },
    'weak-previous': { keys: ['['], label: m.weak_previous, menu: 'playback' },
    'weak-next': { keys: [']'], label: m.weak_next, menu: 'playback' },
    'part-start': { keys: ['I'], label: m.shortcut_part_start, menu: 'playback' },
    'part-end': { keys: ['O'], label: m.shortcut_part_end, menu: 'playback' },
    slower: { keys: ['<'], label: m.speed_slower, menu: 'playback' },
    faster: { keys: ['>'], label: m.speed_faster, menu: 'playback' },
    repeat: { keys: ['R'], label: m.repeat, menu: 'playback' },
    sound: { keys: ['M'], label: m.sound, menu: 'playback' },
    'full-screen': { keys: ['F'], label: m.full_screen, menu: 'playback' },
    'save-frame': { keys: ['C'], label: m.save_frame, menu: 'file' },
  },
  /** While a part of a finished video is selected. */
  review: {
    'swap-part': { keys: ['shift+enter'], label: m.swap_part_again, menu: 'swap' },
    'leave-part': { keys: ['delete', 'backspace'], label: m.leave_original, menu: 'swap' },
    close: { keys: ['escape'], label: m.close, fixed: true },
  },
  /** Of the window: main handles the keys, before the page. */
  window: {
    'zoom-reset': { keys: ['mod+0'], label: m.menu_actual_size, menu: 'view', fixed: true },
    'zoom-in': { keys: ['mod+plus', 'mod+='], label: m.menu_zoom_in, menu: 'view', fixed: true },
    'zoom-out': { keys: ['mod+-', 'mod+_'], label: m.menu_zoom_out, menu: 'view', fixed: true },
    'full-screen': { keys: ['F11'], mac: ['ctrl+mod+F'], label: m.window_full_screen, menu: 'view', fixed: true },
    menu: { keys: ['F10'], mac: [], label: m.application_menu, fixed: true },
    close: { keys: ['mod+W'], label: m.close_window, menu: 'file', fixed: true },
    quit: { keys: ['mod+Q'], label: m.quit, menu: 'app', fixed: true },
  },
} as const satisfies Table

export type Place = keyof typeof actions
export type ActionName<P extends Place> = keyof (typeof actions)[P] & string
export type ActionId = { [P in Place]: `${P}.${ActionName<P>}` }[Place]
/** What a window does by itself; main handles their keys. */
export type WindowAction = ActionName<'window'>
/** `keys` loses the names. */
export const windowActions = Object.keys(actions.window) as WindowAction[]
export interface ListedAction extends Action {
  readonly id: ActionId
  readonly place: Place
}

/** All actions, in the order of the table. */
export const actionList: readonly ListedAction[] = Object.entries(actions).flatMap(([place, table]) =>
  Object.entries<Action>(table).map(([name, action]) => ({
    ...action,
    // `entries` loses the names.
    id: `${place}.${name}` as ActionId,
    place: place as Place,
  })),
)

const byId = new Map(actionList.map((action) => [action.id, action]))

/** The action with an id. */
export function actionOf(id: ActionId): ListedAction {
  const action = byId.get(id)
  if (!action) throw new Error(`There is no action ${id}`)
  return action
}

/** The keys of an action: the user's if they can be used, else the default ones. */
export function keysFor(action: ListedAction, own: Shortcuts, isMac: boolean): readonly string[] {
  const keys = (isMac ? action.mac : undefined) ?? action.keys
  const chosen = action.fixed ? undefined : own[action.id]
  return chosen?.every((each) => keys.includes(each) || refusalOf(each) === null) ? chosen : keys
}

/** Places whose keys work at the same time. Those of `anywhere` and `window` work with all others. */
const together: readonly (readonly Place[])[] = [
  ['library', 'swap'],
  ['swap', 'viewer', 'review'],
]
const isEverywhere = (place: Place): boolean => place === 'anywhere' || place === 'window'

/** The other actions that the same keys run where an action works. */
export function conflictsOf(action: ListedAction, keys: string, own: Shortcuts, isMac: boolean): ListedAction[] {
  const meets = ({ place }: ListedAction): boolean =>
    isEverywhere(place) ||
    isEverywhere(action.place) ||
    place === action.place ||
    together.some((places) => places.includes(place) && places.includes(action.place))
  return actionList.filter(
    (other) =>
      other.id !== action.id &&
      !(other.fixed && action.fixed) &&
      meets(other) &&
      keysFor(other, own, isMac).includes(keys),
  )
}
