/** @file Routes all of Mien's traffic through the configured proxy. */
import { app, type AuthInfo, type Session } from 'electron'
import { proxyConfig, type ProxyChoice, type ProxyServer } from './policy.ts'

/** Answers a proxy's login request; without credentials the request fails at once. */
export type ProxyLogin = (info: AuthInfo, callback: (user?: string, password?: string) => void) => void

/**
 * Sets the proxy of all sessions, including future ones; null keeps Chromium's default (the system's). Call after the
 * app is ready and before any request.
 */
export function useProxy(choice: ProxyChoice | null, sessions: readonly Session[]): ProxyLogin {
  if (choice !== null) {
    const config = proxyConfig(choice)
    for (const session of sessions) void session.setProxy(config)
    app.on('session-created', (session) => void session.setProxy(config))
  }
  return proxyLogin(choice !== null && typeof choice === 'object' ? choice : null)
}

/** Max logins per minute, because a proxy asks again after a wrong password. */
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
