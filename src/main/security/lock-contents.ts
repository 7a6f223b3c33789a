/** @file Blocks navigation, new windows and webviews for every page. */
import type { App } from 'electron'

/** Installs the guards for all future web contents. Call before the first window is created. */
export function lockContents(app: App): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event) => {
      event.preventDefault()
    })
    contents.on('will-frame-navigate', (event) => {
      event.preventDefault()
    })
    contents.on('will-redirect', (event) => {
      event.preventDefault()
    })
    contents.on('will-attach-webview', (event) => {
      event.preventDefault()
    })
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}
