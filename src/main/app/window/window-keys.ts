/** @file Actions of the window, by keys that its page never sees, and developer tools. */
import { app, Menu, type BrowserWindow, type Input } from 'electron'
import { actionList, keysFor, windowActions, type WindowAction } from '@shared/actions/actions.ts'
import { keysOf } from '@shared/settings/keys.ts'
import type { ZoomKey } from './zoom.ts'

const mac = process.platform === 'darwin'
const zooms: Partial<Record<WindowAction, ZoomKey>> = { 'zoom-in': 'in', 'zoom-out': 'out', 'zoom-reset': 'reset' }

/** Runs an action; `window` is null on a Mac without an open window. */
export function runInWindow(name: WindowAction, window: BrowserWindow | null, zoom: (key: ZoomKey) => void): void {
  const key = zooms[name]
  if (key !== undefined) zoom(key)
  if (name === 'full-screen') window?.setFullScreen(!window.isFullScreen())
  if (name === 'close') window?.close()
  if (name === 'quit') app.quit()
  if (name === 'menu' && window) Menu.getApplicationMenu()?.popup({ window, x: 8, y: 44 })
}

/** Handles the keys before the page does, unless the user chooses keys. */
export function listenForKeys(
  window: BrowserWindow,
  run: (name: WindowAction) => void,
  isRecording: () => boolean,
): void {
  window.webContents.on('before-input-event', (event, input) => {
    if (input.type !== 'keyDown' || isRecording()) return
    const name = windowAction(input)
    // On macOS the menu has the system's keys.
    if (name !== null && (!mac || zooms[name] !== undefined)) run(name)
    else if (!app.isPackaged && isDeveloperTools(input)) window.webContents.toggleDevTools()
    else return
    event.preventDefault()
  })
}

function windowAction({ key, code, shift, control, alt, meta }: Input): WindowAction | null {
  const keys = keysOf({ key, code, shift, ctrl: control, alt, meta, altGraph: false }, mac)
  const found = actionList.find((action) => action.place === 'window' && keysFor(action, {}, mac).includes(keys))
  return windowActions.find((name) => found?.id === `window.${name}`) ?? null
}

/** F12, and the keys that Chromium's own browsers have. By its place: with Alt a Mac's key for I writes something else. */
const isDeveloperTools = ({ key, code, control, shift, meta, alt }: Input): boolean =>
  key === 'F12' || (code === 'KeyI' && (mac ? meta && alt : control && shift))
