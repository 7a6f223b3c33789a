/** @file How main reaches the network: Electron's stack, so that the system's proxy and certificates count. */
import { net, session } from 'electron'
import { electronFetch, freshFetch } from './service-client/electron-fetch.ts'

export interface Network {
  /** For everything but a create. */
  fetch: typeof globalThis.fetch
  /** Each request over a connection of its own: Chromium repeats a POST when a used one breaks. */
  createFetch: typeof globalThis.fetch
}

/** Call when the app is ready. */
export function openNetwork(): Network {
  const creates = session.fromPartition('creates')
  return {
    fetch: electronFetch((options) => net.request(options)),
    createFetch: freshFetch(
      creates,
      electronFetch((options) => net.request({ ...options, session: creates })),
    ),
  }
}
