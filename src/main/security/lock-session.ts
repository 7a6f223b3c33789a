/** @file What a renderer's session may do: read our own schemes, and nothing else. */
import type { Session } from 'electron'

/**
 * Whether a page of `host` may load `address`: its own `app://host/…`, and `media:`. Pure.
 * Everything else, http included, is no business of a renderer: main makes every call. The developer tools load
 * themselves in the session of the page they look at, which `devTools` allows.
 */
export function isOwnAddress(address: string, host: string, devTools: boolean): boolean {
  const url = URL.parse(address)
  if (url === null) return false
  if (devTools && url.protocol === 'devtools:') return true
  return url.protocol === 'media:' || (url.protocol === 'app:' && url.host === host)
}

/** The one permission of the one page that shows videos. */
const isAllowed = (permission: string, host: string): boolean => permission === 'fullscreen' && host === 'studio'

/**
 * Denies network, permissions, devices and downloads on one session. Call once, before a page is loaded.
 * @param devTools whether there are developer tools: not in a package
 */
export function lockSession(session: Session, host: string, devTools: boolean): void {
  session.webRequest.onBeforeRequest((details, respond) => {
    respond({ cancel: !isOwnAddress(details.url, host, devTools) })
  })
  session.setPermissionRequestHandler((_contents, permission, respond) => {
    respond(isAllowed(permission, host))
  })
  session.setPermissionCheckHandler((_contents, permission) => isAllowed(permission, host))
  session.setDevicePermissionHandler(() => false)
  session.on('will-download', (event) => {
    event.preventDefault()
  })
  // The system's spell checker would fetch dictionaries.
  session.setSpellCheckerEnabled(false)
}
