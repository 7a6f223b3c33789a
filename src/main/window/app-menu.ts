/**
 * @file The application menu. macOS needs it for edit and app shortcuts; on other systems the studio handles its
 * shortcuts.
 */
import { Menu, type MenuItemConstructorOptions } from 'electron'
import type { Command } from '@shared/ipc.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { ZoomKey } from './zoom.ts'

export function installMenu(send: (command: Command) => void, zoom: (key: ZoomKey) => void): void {
  if (process.platform !== 'darwin') {
    Menu.setApplicationMenu(null)
    return
  }
  const item = (label: string, accelerator: string, command: Command): MenuItemConstructorOptions => ({
    label,
    accelerator,
    click: () => {
      send(command)
    },
  })
  const zoomItem = (label: string, accelerator: string, key: ZoomKey): MenuItemConstructorOptions => ({
    label,
    accelerator,
    click: () => {
      zoom(key)
    },
  })
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      {
        role: 'appMenu',
        submenu: [
          { role: 'about' },
          { type: 'separator' },
          item(m.menu_settings(), 'Cmd+,', 'settings'),
          { type: 'separator' },
          { role: 'services' },
          { type: 'separator' },
          { role: 'hide' },
          { role: 'hideOthers' },
          { role: 'unhide' },
          { type: 'separator' },
          { role: 'quit' },
        ],
      },
      {
        label: m.menu_file(),
        submenu: [
          item(m.menu_new_swap(), 'Cmd+N', 'new-swap'),
          item(m.menu_library(), 'Cmd+L', 'library'),
          item(m.queue(), 'Cmd+J', 'queue'),
          { type: 'separator' },
          { role: 'close' },
        ],
      },
      { role: 'editMenu' },
      {
        label: m.menu_view(),
        submenu: [
          zoomItem(m.menu_actual_size(), 'Cmd+0', 'reset'),
          zoomItem(m.menu_zoom_in(), 'Cmd+Plus', 'in'),
          zoomItem(m.menu_zoom_out(), 'Cmd+-', 'out'),
          { type: 'separator' },
          { role: 'togglefullscreen' },
        ],
      },
      { role: 'windowMenu' },
    ]),
  )
}
