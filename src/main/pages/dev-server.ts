/**
 * @file In development the studio's pages come from Vite's dev server, by way of `app://studio` as always. Only the
 * build of `npm run dev` contains this file.
 */
import { app, type Session } from 'electron'
import type { AppProtocolOptions } from './app-path.ts'
import { answerApp, appHeaders } from './app-protocol.ts'
import { devPolicy, isDevAddress } from './dev-rules.ts'

/** Serves one host's pages from the dev server; the folders beside them stay on disk. Call after `lockSession`. */
export function installDevServer(session: Session, server: URL, options: AppProtocolOptions): void {
  session.webRequest.onBeforeRequest((details, respond) => {
    respond({ cancel: !isDevAddress(details.url, options.host, server) })
  })
  // Not the proxy that stops everything: the websocket is on this computer.
  void session.setProxy({ mode: 'direct' })
  // A page may not navigate, not even to itself; Vite's client loads it again where it cannot replace a module.
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-frame-navigate', ({ url }) => {
      if (contents.session !== session || url !== contents.getURL()) return
      setImmediate(() => {
        contents.reload()
      })
    })
  })
  // However `npm run dev` ends, Mien ends with it; the signal is answered by the quit guard.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  session.protocol.handle('app', async (request) => {
    const { host, pathname, search } = new URL(request.url)
    const [, first = ''] = pathname.split('/')
    if (Object.hasOwn(options.folders ?? {}, first)) {
      const { statusCode, headers, data } = await answerApp(request, options)
      return new Response(new Uint8Array(data), { status: statusCode, headers })
    }
    if (request.method !== 'GET') return new Response(null, { status: 405 })
    if (host !== options.host) return new Response(null, { status: 404 })
    // Vite tells a stylesheet that is asked for from one that is imported by this header.
    const accept = request.headers.get('accept') ?? '*/*'
    const answer = await fetch(new URL(pathname + search, server), { headers: { accept } })
    const type = answer.headers.get('content-type') ?? 'text/plain'
    return new Response(answer.body, {
      status: answer.status,
      headers: appHeaders(type, devPolicy(options.host, server), options.host),
    })
  })
}
