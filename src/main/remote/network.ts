/** @file Network access of main, through Electron's stack, so that the system's proxy and certificates apply. */
import { net, session, type ClientRequest, type ClientRequestConstructorOptions, type Session } from 'electron'
import type { ProxyLogin } from '../machine/policy/proxy.ts'
import { byOrigin, electronFetch, freshFetch } from './electron-fetch.ts'

export interface Connection {
  /** For all requests except creates. */
  fetch: typeof globalThis.fetch
  /** Uses a new connection per request: Chromium repeats a POST when a reused one breaks. */
  createFetch: typeof globalThis.fetch
}

export interface Network extends Connection {
  /** Accepts exactly the certificate with this fingerprint, and no other, whoever signed it. */
  pinned: (fingerprint: string) => Connection
}

/** net::ERR_SSL_PINNED_KEY_NOT_IN_CERT_CHAIN, which outcomes.ts recognises. */
const notPinned = -150

/** Sessions made so far: those of one name are the same. */
let count = 0

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
  /** A session of its own; with a fingerprint, for that certificate only. */
  const openSession = (fingerprint: string | null): Session => {
    const own = session.fromPartition(`network-${String(count++)}`)
    if (fingerprint !== null)
      own.setCertificateVerifyProc(({ certificate }, answer) => {
        answer(certificate.fingerprint === fingerprint ? 0 : notPinned)
      })
    return own
  }
  const connect = (fingerprint: string | null): Connection => {
    const shared = fingerprint === null ? session.defaultSession : openSession(fingerprint)
    return {
      fetch: electronFetch((options) => open({ ...options, session: shared })),
      createFetch: byOrigin(() => {
        const creates = openSession(fingerprint)
        return freshFetch(
          creates,
          electronFetch((options) => open({ ...options, session: creates })),
        )
      }),
    }
  }
  const pinned = new Map<string, Connection>()
  return {
    ...connect(null),
    pinned: (fingerprint) => {
      const connection = pinned.get(fingerprint) ?? connect(fingerprint)
      pinned.set(fingerprint, connection)
      return connection
    },
  }
}
