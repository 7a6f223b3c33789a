/** @file How main reaches the network: Electron's stack, so that the system's proxy and certificates count. */
import { net, session, type ClientRequest, type ClientRequestConstructorOptions } from 'electron'
import type { ProxyLogin } from './policy/proxy.ts'
import { electronFetch, freshFetch } from './service-client/electron-fetch.ts'

export interface Network {
  /** For everything but a create. */
  fetch: typeof globalThis.fetch
  /** Each request over a connection of its own: Chromium repeats a POST when a used one breaks. */
  createFetch: typeof globalThis.fetch
}

/** Call when the app is ready. `login`: asked when a proxy wants a password; without it such a request fails. */
export function openNetwork(login?: ProxyLogin): Network {
  const open = (options: ClientRequestConstructorOptions): ClientRequest => {
    const request = net.request(options)
    if (login) request.on('login', login)
    return request
  }
  const creates = session.fromPartition('creates')
  return {
    fetch: electronFetch(open),
    createFetch: freshFetch(
      creates,
      electronFetch((options) => open({ ...options, session: creates })),
    ),
  }
}
