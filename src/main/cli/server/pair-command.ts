/** @file `mien pair`: asks a server for a key for a creator, and prints it as a pairing code. */
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { renderUnicodeCompact } from 'uqr'
import { z } from 'zod'
import { m } from '@shared/i18n/paraglide/messages.js'
import { MienError, usage } from '@shared/mien-error.ts'
import { writePairingCode } from '../../remote/pairing/pairing-code.ts'
import { pinnedSocket } from '../../remote/client/transport/pinned-socket.ts'
import { adminHeader } from '../../service/http/guard.ts'
import { parseBaseUrl } from '../../machine/settings/base-url.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { print } from '../output/output-lines.ts'
import { readRunning, type RunningServer } from './running-server.ts'
import type { CommandOf } from '../args/args.ts'

const timeoutMs = 20_000
const keySchema = z.object({ sk: z.string() })

/**
 * @param dir the server's folder
 * @throws MienError with a sentence for an administrator (`said`): `service-unreachable`, `key-refused`. `usage`
 */
export async function runPair({ userId, server, json }: CommandOf<'pair'>, dir: string): Promise<number> {
  const adminKey = process.env['MIEN_ADMIN_KEY']
  if (!adminKey) throw usage(m.cli_admin_key_needed())
  const running = server === null ? await readRunning(dir) : given(server)
  if (running === null) throw new MienError('service-unreachable', { said: m.cli_no_server() })
  const key = await newKey(running, adminKey, userId)
  const { address: baseUrl, fingerprint } = running
  const allowHttp = baseUrl.startsWith('http://')
  const code = writePairingCode({ baseUrl, key, fingerprint, ...(allowHttp ? { allowHttp } : {}) })
  print(
    json,
    { userId, address: baseUrl, code },
    `${renderUnicodeCompact(code, { ecc: 'L' })}\n${m.cli_paired({ userId })}\n\n${code}`,
  )
  return exitCodes.done
}

/** A server on another computer, with a certificate that this computer trusts. */
function given(server: string): RunningServer {
  const address = parseBaseUrl(server, true)
  return { baseUrl: address, address, fingerprint: null, certificate: null }
}

async function newKey({ baseUrl, certificate }: RunningServer, adminKey: string, userId: string): Promise<string> {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/v1/openapi_account/new`)
  const answer = await post(url, certificate, `{"userId":${userId}}`, {
    'content-type': 'application/json',
    [adminHeader]: adminKey,
  }).catch((error: unknown) => {
    throw error instanceof MienError
      ? error
      : new MienError('service-unreachable', { said: m.cli_no_answer({ address: url.origin }) }, { cause: error })
  })
  const body = await text(answer)
  if (answer.statusCode === 401 || answer.statusCode === 403)
    throw new MienError('key-refused', { said: m.cli_admin_key_refused() })
  if (answer.statusCode !== 200) throw new MienError('service-trouble', { status: answer.statusCode ?? 0 })
  return keySchema.parse(JSON.parse(body)).sk
}

/** @param fingerprint of the only certificate to accept; null: any trusted certificate */
async function post(
  url: URL,
  fingerprint: string | null,
  body: string,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  const isPinned = url.protocol === 'https:' && fingerprint !== null
  const socket = isPinned ? await pinnedSocket(url, fingerprint, AbortSignal.timeout(timeoutMs)) : null
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    // With an agent, Node ignores createConnection.
    const connection = socket ? { createConnection: () => socket } : { agent: false as const }
    const request = send(url, { method: 'POST', headers, timeout: timeoutMs, ...connection }, resolve)
    request.on('error', reject).on('timeout', () => request.destroy(new Error('timeout')))
    request.end(body)
  })
}
