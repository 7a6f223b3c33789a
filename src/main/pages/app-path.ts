/** @file Maps `app:` URLs to files, and defines their Content-Security-Policy. Independent of Electron. */
import { basename, resolve, sep } from 'node:path'

export type AppHost = 'studio' | 'engine'

const policies: Readonly<Record<AppHost, string>> = {
  studio: [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' media: data:",
    'media-src media:',
    "font-src 'self'",
    // The viewer decodes videos itself.
    'connect-src media:',
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

export interface AppProtocolOptions {
  host: AppHost
  /** The built renderer (`out/renderer`). */
  rendererDir: string
  /** Additional folders by first path segment, e.g. `{ models: …/resources/models }`. Files only, no subfolders. */
  folders?: Readonly<Record<string, string>>
}

/** The file behind an `app:` URL; null if the host is different or the path leaves its folder. */
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
