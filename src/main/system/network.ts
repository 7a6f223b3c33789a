/** @file How main reaches the network: Electron's stack, so that the system's proxy and certificates count. */
import { net, session, type ClientRequest, type ClientRequestConstructorOptions } from 'electron'
import type { ProxyLogin } from '../policy/proxy.ts'
import { byOrigin, electronFetch, freshFetch } from '../service-client/transport/electron-fetch.ts'

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
    request.on('login', (info, callback) => {
      const answer = (user?: string, password?: string): void => {
        // Chromium names this only for plain http (407); for https its error is that of any broken proxy.
        if (user === undefined && info.isProxy) request.emit('error', new Error('net::ERR_PROXY_AUTH_REQUESTED'))
        callback(user, password)
      }
      if (login) login(info, answer)
      else answer()
    })
    return request
  }
  let count = 0
  return {
    fetch: electronFetch(open),
    createFetch: byOrigin(() => {
      const creates = session.fromPartition(`creates-${String(count++)}`)
      return freshFetch(
        creates,
        electronFetch((options) => open({ ...options, session: creates })),
      )
    }),
  }
}
