/** @file Network access of main, through Electron's stack, so that the system's proxy and certificates apply. */
import { net, session, type ClientRequest, type ClientRequestConstructorOptions } from 'electron'
import type { ProxyLogin } from '../policy/proxy.ts'
import { byOrigin, electronFetch, freshFetch } from '../service-client/transport/electron-fetch.ts'

export interface Network {
  /** For all requests except creates. */
  fetch: typeof globalThis.fetch
  /** Uses a new connection per request: Chromium repeats a POST when a reused one breaks. */
  createFetch: typeof globalThis.fetch
}

/** Call after the app is ready. `login`: called when a proxy asks for a password; without it such a request fails. */
export function openNetwork(login?: ProxyLogin): Network {
  const open = (options: ClientRequestConstructorOptions): ClientRequest => {
    const request = net.request(options)
    request.on('login', (info, callback) => {
      const answer = (user?: string, password?: string): void => {
        // Chromium only reports this for plain http (407); for https its error is the same as for any broken proxy.
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
