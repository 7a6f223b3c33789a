/** @file Blocks navigation, new windows, webviews, DNS prefetch and UDP for every page. */
import type { App } from 'electron'

/** Installs the guards for all future web contents. Call before the app is ready. */
export function lockContents(app: App): void {
  // No request and no policy stops <link rel="dns-prefetch">.
  app.commandLine.appendSwitch('blink-settings', 'dnsPrefetchingEnabled=false')
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
    // WebRTC sends nothing by UDP. Its TCP connections need the session's proxy (lock-session.ts).
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}
