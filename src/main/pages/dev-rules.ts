/**
 * @file What is relaxed for Vite's dev server, all of it: the page may connect to one websocket on this computer, by
 * which Vite tells it of changes. Pure.
 */
import { isOwnAddress } from './lock-session.ts'
import { contentSecurityPolicy, type AppHost } from './app-path.ts'

/**
 * The dev server's address, or null where there is none: never in a packaged app, and only on this computer.
 * @param given the value of `MIEN_DEV_SERVER`, e.g. `http://127.0.0.1:40123`
 */
export function devServerAddress(given: string | undefined, isPackaged: boolean): URL | null {
  if (isPackaged || given === undefined) return null
  return /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(given) ? URL.parse(given) : null
}

/** The host's policy, with the websocket. */
export const devPolicy = (host: AppHost, server: URL): string =>
  contentSecurityPolicy(host).replace('connect-src', `connect-src ws://${server.host}`)

/** Whether a page of `host` may load `address`. */
export const isDevAddress = (address: string, host: AppHost, server: URL): boolean =>
  isOwnAddress(address, host, true) || URL.parse(address)?.origin === `ws://${server.host}`
