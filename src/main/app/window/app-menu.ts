/**
 * @file The application menu, from the list of actions. macOS shows it in its menu bar, and takes the keys of text fields
 * from it. Elsewhere the title bar opens it, and its keys are only shown: the page and window-keys.ts handle them.
 */
import { Menu, type MenuItemConstructorOptions as Item } from 'electron'
import { actionList, keysFor, type ActionId, type ListedAction, type MenuName } from '@shared/actions/actions.ts'
import type { MenuOffer } from '@shared/ipc/app-state.ts'
import { acceleratorOf, type Shortcuts } from '@shared/settings/keys.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { getLocale } from '@shared/i18n/paraglide/runtime.js'
import { openHelp } from '../../pages/help-links.ts'

interface AppMenuDeps {
  shortcuts: () => Shortcuts
  run: (id: ActionId) => void
}

const mac = process.platform === 'darwin'
const divider: Item = { type: 'separator' }
const role = (name: NonNullable<Item['role']>, label: string): Item => ({
  ...{ role: name, label },
  ...(mac ? {} : { registerAccelerator: false }),
})

/** Items for the text field that has the focus. */
export const clipboardItems = (): Item[] => [
  role('cut', m.menu_cut()),
  role('copy', m.menu_copy()),
  role('paste', m.menu_paste()),
  role('selectAll', m.shortcut_select_all()),
]
export const undoItems = (): Item[] => [role('undo', m.undo()), role('redo', m.redo())]

export class AppMenu {
  private offered: MenuOffer = { actions: [], typing: false, recording: false }
  private made = ''

  constructor(private readonly deps: AppMenuDeps) {}

  /** Builds the menu, or again after a change of the language or of the keys. */
  install(): void {
    const made = JSON.stringify([getLocale(), this.deps.shortcuts()])
    if (made === this.made) return
    this.made = made
    const [undoText = divider, redoText = divider] = undoItems()
    const menu = (label: string, ...submenu: Item[]): Item => ({ label, submenu })
    const about = role('about', m.menu_about())
    Menu.setApplicationMenu(
      Menu.buildFromTemplate([
        ...(mac ? [menu('Mien', about, divider, ...this.items('app'), divider, ...macItems())] : []),
        menu(m.menu_file(), ...this.items('file'), ...(mac ? [] : [divider, ...this.items('app')])),
        menu(
          ...([m.menu_edit(), { ...undoText, id: 'undo-text' }, { ...redoText, id: 'redo-text' }] as const),
          ...[...this.items('undo'), divider, ...clipboardItems(), divider, ...this.items('edit')],
        ),
        menu(m.menu_view(), ...this.items('view')),
        menu(m.swap_menu(), ...this.items('swap')),
        menu(m.menu_playback(), ...this.items('playback')),
        ...(mac ? [{ role: 'windowMenu', ...menu(m.menu_window(), ...macWindowItems()) } as const] : []),
        {
          ...{ role: 'help', label: m.menu_help() },
          submenu: [
            ...this.items('help'),
            { label: m.project_page(), click: () => void openHelp('project') },
            ...(mac ? [] : [divider, about]),
          ],
        },
      ]),
    )
    this.update()
  }

  get isRecording(): boolean {
    return this.offered.recording
  }

  /** Shows which actions are possible, and whether Undo is that of a text field. */
  offer(offered: MenuOffer): void {
    this.offered = offered
    this.update()
  }

  private update(): void {
    const menu = Menu.getApplicationMenu()
    const { actions, typing } = this.offered
    for (const { id, place, menu: name } of actionList) {
      const item = menu?.getMenuItemById(id)
      if (item) item.enabled = place === 'window' || actions.includes(id)
      if (item && name === 'undo') item.visible = !typing
    }
    for (const id of ['undo-text', 'redo-text']) {
      const item = menu?.getMenuItemById(id)
      if (item) item.visible = typing
    }
  }

  /** The actions of a menu, divided by place. */
  private items(name: MenuName): Item[] {
    const actions = actionList.filter((action) => action.menu === name)
    return actions.flatMap((action, at) => {
      const before = actions[at - 1]
      return before && before.place !== action.place ? [divider, this.item(action)] : [this.item(action)]
    })
  }

  private item(action: ListedAction): Item {
    const [keys] = keysFor(action, this.deps.shortcuts(), mac)
    // A Mac's menu would take single keys from text fields.
    const isShown = keys !== undefined && (!mac || /\+|^F/.test(keys))
    const accelerator = isShown ? acceleratorOf(keys) : undefined
    return {
      ...{ id: action.id, label: action.label(), acceleratorWorksWhenHidden: false },
      ...(accelerator === undefined ? {} : { accelerator, ...(mac ? {} : { registerAccelerator: false }) }),
      click: () => this.deps.run(action.id),
    }
  }
}

const macItems = (): Item[] => [
  role('services', m.services()),
  divider,
  role('hide', m.menu_hide()),
  role('hideOthers', m.menu_hide_others()),
  role('unhide', m.menu_show_all()),
]

const macWindowItems = (): Item[] => [
  role('minimize', m.menu_minimize()),
  role('zoom', m.menu_zoom()),
  divider,
  role('front', m.menu_front()),
]
