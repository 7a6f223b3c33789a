/** @file Runs swaps without the window, with an item in the tray or menu bar. */
import { Menu, nativeImage, Tray } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'

interface BackgroundDeps {
  iconPath: string
  hide: () => void
  show: () => void
  /** Number of swaps in progress. */
  busy: () => number
  /** Number of swaps that the user paused. */
  paused: () => number
  pause: () => void
  resume: () => void
  quit: () => void
}

const iconSize = 18

export class Background {
  private tray: Tray | null = null
  /** Whether this desktop has a tray. */
  canRun = false

  constructor(private readonly deps: BackgroundDeps) {}

  enter(): void {
    if (this.tray) return
    const icon = nativeImage.createFromPath(this.deps.iconPath).resize({ width: iconSize, height: iconSize })
    this.tray = new Tray(icon)
    this.tray.on('click', () => {
      // On a Mac a click opens the menu.
      if (process.platform !== 'darwin') this.deps.show()
    })
    this.update()
    this.deps.hide()
  }

  /** Call when the window is shown. */
  leave(): void {
    this.tray?.destroy()
    this.tray = null
  }

  /** Call when swaps have changed. */
  update(): void {
    if (!this.tray) return
    const { show, busy, paused, pause, resume, quit } = this.deps
    this.tray.setToolTip(m.tray_tip({ count: busy() }))
    this.tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: m.tray_show(), click: show },
        { label: m.tray_pause(), click: pause, visible: busy() > 0 },
        { label: m.tray_resume(), click: resume, visible: paused() > 0 },
        { type: 'separator' },
        { label: m.quit(), click: quit },
      ]),
    )
  }
}
