/**
 * @file Restricts a renderer's session to reading our own schemes, and what all pages may do. No session downloads
 * dictionaries.
 */
import type { App, Session } from 'electron'

/**
 * Whether a page of `host` may load `address`: its own `app://host/…`, and `media:`. Pure. Everything else, including
 * http, is blocked: main makes all network requests. `devTools` allows the developer tools, which load in the session of
 * the page they inspect.
 */
export function isOwnAddress(address: string, host: string, devTools: boolean): boolean {
  const url = URL.parse(address)
  if (url === null) return false
  if (devTools && url.protocol === 'devtools:') return true
  return url.protocol === 'media:' || (url.protocol === 'app:' && url.host === host)
}

/** Only the studio, which shows videos, may use full screen. */
const isAllowed = (permission: string, host: string): boolean => permission === 'fullscreen' && host === 'studio'

/**
 * Blocks network, permissions, devices and downloads on a session. Call once, before a page is loaded.
 * @param devTools whether developer tools may load: never in a package
 */
export function lockSession(session: Session, host: string, devTools: boolean): void {
  session.webRequest.onBeforeRequest((details, respond) =>
    respond({ cancel: !isOwnAddress(details.url, host, devTools) }),
  )
  session.setPermissionRequestHandler((_contents, permission, respond) => respond(isAllowed(permission, host)))
  session.setPermissionCheckHandler((_contents, permission) => isAllowed(permission, host))
  session.setDevicePermissionHandler(() => false)
  session.on('will-download', (event) => event.preventDefault())
  // WebRTC connects without a request. Chromium can't use a QUIC proxy, so its connections fail before they have a socket.
  void session.setProxy({ mode: 'fixed_servers', proxyRules: 'quic://127.0.0.1:9', proxyBypassRules: '<-loopback>' })
}

/**
 * Turns off the spell checker of all future sessions. Call before the app is ready. A session that still has a language
 * downloads its dictionary from Google, even if the spell checker is off.
 */
export function turnOffSpellChecker(app: App): void {
  app.on('session-created', (session) => {
    session.setSpellCheckerLanguages([])
    // macOS has its own spell checker, and ignores the languages.
    session.setSpellCheckerEnabled(false)
  })
}

/** Blocks navigation, new windows, webviews, DNS prefetch and UDP for every page: installs guards for all future contents. Call before the app is ready. */
export function lockContents(app: App): void {
  // No request and no policy stops <link rel="dns-prefetch">.
  app.commandLine.appendSwitch('blink-settings', 'dnsPrefetchingEnabled=false')
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event) => event.preventDefault())
    contents.on('will-frame-navigate', (event) => event.preventDefault())
    contents.on('will-redirect', (event) => event.preventDefault())
    contents.on('will-attach-webview', (event) => event.preventDefault())
    // WebRTC sends nothing by UDP. Its TCP connections need the session's proxy (lockSession).
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}
