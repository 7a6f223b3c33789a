/** @file Shortcuts handled by the window, not by its page: zoom, full screen, developer tools. */
import { app, type BrowserWindow, type Input } from 'electron'
import { zoomKey, type ZoomKey } from './zoom.ts'

/** Handles the shortcuts before the page does. */
export function listenForKeys(window: BrowserWindow, zoom: (key: ZoomKey) => void): void {
  const mac = process.platform === 'darwin'
  window.webContents.on('before-input-event', (event, input) => {
    if (input.type !== 'keyDown') return
    const key = zoomKey(input, mac)
    if (key !== null) zoom(key)
    // On macOS the menu has the system's shortcut.
    else if (!mac && input.key === 'F11') window.setFullScreen(!window.isFullScreen())
    else if (!app.isPackaged && isDeveloperTools(input, mac)) window.webContents.toggleDevTools()
    else return
    event.preventDefault()
  })
}

/** F12, and the keys that Chromium's own browsers have. By its place: with Alt a Mac's key for I writes something else. */
const isDeveloperTools = ({ key, code, control, shift, meta, alt }: Input, mac: boolean): boolean =>
  key === 'F12' || (code === 'KeyI' && (mac ? meta && alt : control && shift))
