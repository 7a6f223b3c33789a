/** @file Sends everything of Mien's through the proxy that is set up for this computer. */
import { app, type AuthInfo, type Session } from 'electron'
import type { ProxyChoice, ProxyServer } from './policy.ts'
import { proxyConfig } from './proxy-config.ts'

/** Answers a proxy's question for a name and password; without them the request fails at once. */
export type ProxyLogin = (info: AuthInfo, callback: (user?: string, password?: string) => void) => void

/**
 * Every session, those to come too, uses the proxy; null leaves them as Chromium has them (the system's). Call when
 * the app is ready and before anything is asked for.
 */
export function useProxy(choice: ProxyChoice | null, sessions: readonly Session[]): ProxyLogin {
  if (choice !== null) {
    const config = proxyConfig(choice)
    for (const session of sessions) void session.setProxy(config)
    app.on('session-created', (session) => void session.setProxy(config))
  }
  return proxyLogin(choice !== null && typeof choice === 'object' ? choice : null)
}

/** A proxy asks again when a password is wrong; it is given this often in a minute. */
const max = 3

function proxyLogin(server: ProxyServer | null): ProxyLogin {
  let given: number[] = []
  return (info, callback) => {
    const own = server?.login && info.isProxy && URL.parse(server.rules)?.hostname === info.host
    given = given.filter((at) => at > Date.now() - 60_000)
    if (!own || given.length >= max) {
      callback()
      return
    }
    given.push(Date.now())
    callback(server.login?.user, server.login?.password)
  }
}
