/**
 * @file `app://studio/…` and `app://engine/…`: the built renderer, the weights and the sample media. Each host is
 * installed on its own session, so a page of one cannot read the other's files.
 */
import { readFile } from 'node:fs/promises'
import { basename, resolve, sep } from 'node:path'
import { protocol, type Session } from 'electron'
import { mimeTypeOf } from './mime-types.ts'

export type AppHost = 'studio' | 'engine'

const policies: Readonly<Record<AppHost, string>> = {
  studio: [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' media: data:",
    'media-src media:',
    "font-src 'self'",
    "connect-src 'none'",
  ].join('; '),
  engine: [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "connect-src 'self' media:",
  ].join('; '),
}

const closing = "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The Content-Security-Policy of a host's pages and workers. */
export function contentSecurityPolicy(host: AppHost): string {
  return policies[host] + closing
}

/** Declares `app:` and `media:`; must run before the app is ready. */
export function registerSchemes(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true }
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { ...privileges, codeCache: true } },
    // Pages read it across origins, so it answers to CORS instead of being beyond it.
    { scheme: 'media', privileges: { ...privileges, corsEnabled: true } },
  ])
}

export interface AppProtocolOptions {
  host: AppHost
  /** The built renderer (`out/renderer`). */
  rendererDir: string
  /** Further folders by their first path segment, e.g. `{ models: …/resources/models }`. Files only, no subfolders. */
  folders?: Readonly<Record<string, string>>
}

/** Serves one host's files on one session. */
export function installAppProtocol(session: Session, options: AppProtocolOptions): void {
  session.protocol.handle('app', async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return new Response(null, { status: 405 })
    const path = resolveAppPath(request.url, options)
    if (path === null) return new Response(null, { status: 404 })
    const body = await readFile(path).catch(() => null)
    if (body === null) return new Response(null, { status: 404 })
    return new Response(new Uint8Array(body), {
      headers: {
        'content-type': mimeTypeOf(path),
        'content-security-policy': contentSecurityPolicy(options.host),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      },
    })
  })
}

/** The file behind an `app:` address, or null when the host is another's or the path leads out of its folder. */
export function resolveAppPath(address: string, options: AppProtocolOptions): string | null {
  const url = URL.parse(address)
  if (url?.protocol !== 'app:' || url.host !== options.host) return null
  let path: string
  try {
    path = decodeURIComponent(url.pathname)
  } catch {
    return null
  }
  if (path.includes('\0') || path.includes('\\')) return null
  const [, first = '', ...rest] = path.split('/')
  const folder = options.folders?.[first]
  if (folder !== undefined) {
    const name = rest.join('/')
    return name !== '' && name === basename(name) && name !== '..' ? resolve(folder, name) : null
  }
  const root = resolve(options.rendererDir)
  const file = resolve(root, `.${path}`)
  return file.startsWith(root + sep) ? file : null
}
