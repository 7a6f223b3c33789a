/**
 * @file `app://studio/…` and `app://engine/…`: the built renderer, the model weights and the sample media. Each host is
 * installed on its own session, so its pages can't read the other host's files.
 */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { protocol, type ProtocolRequest, type Session } from 'electron'
import { contentSecurityPolicy, resolveAppPath, type AppHost, type AppProtocolOptions } from './app-path.ts'
import { mimeTypeOf } from '../machine/transfer/mime-types.ts'

const decompress = promisify(brotliDecompress)

/** Registers `app:` and `media:`; must run before the app is ready. */
export function registerSchemes(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true }
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { ...privileges, codeCache: true } },
    // Pages read it cross-origin, so it must support CORS.
    { scheme: 'media', privileges: { ...privileges, corsEnabled: true } },
  ])
}

/** Serves one host's files on one session. */
export function installAppProtocol(session: Session, options: AppProtocolOptions): void {
  // `protocol.handle` makes a Request, which loads undici: 95 ms of main's time before the page gets its first byte.
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- see above
  session.protocol.registerBufferProtocol('app', (request, answer) => {
    // Without an answer, the page would wait for ever.
    void answerApp(request, options)
      .catch(() => refused(500))
      .then(answer)
  })
}

export interface AppAnswer {
  statusCode: number
  headers: Record<string, string>
  data: Buffer
}

/** The answer to one `app:` request, from the files on disk. */
export async function answerApp(
  { method, url }: Pick<ProtocolRequest, 'method' | 'url'>,
  options: AppProtocolOptions,
): Promise<AppAnswer> {
  if (method !== 'GET' && method !== 'HEAD') return refused(405)
  const path = resolveAppPath(url, options)
  const data = path && (await readFile(path).catch(() => compressed(path)))
  if (!path || !data) return refused(404)
  const headers = appHeaders(mimeTypeOf(path), contentSecurityPolicy(options.host), options.host)
  return { statusCode: 200, headers, data }
}

const refused = (statusCode: number): AppAnswer => ({ statusCode, headers: {}, data: Buffer.alloc(0) })

/** A file that the build compressed; null if there is none. */
const compressed = (path: string): Promise<Buffer | null> =>
  path.endsWith('.wasm')
    ? readFile(`${path}.br`).then(
        (bytes) => decompress(bytes),
        () => null,
      )
    : Promise.resolve(null)

/** Isolated pages may share memory between threads, which the engine's runtime for models of the user's does. */
const isolation = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }

/** The headers of every answer that has a body. */
export const appHeaders = (contentType: string, policy: string, host: AppHost): Record<string, string> => ({
  'content-type': contentType,
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
  ...(host === 'engine' ? isolation : {}),
})
