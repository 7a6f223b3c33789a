/** @file A TLS connection to a server with one particular certificate, whoever signed it. */
import { once } from 'node:events'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { MienError } from '@shared/errors.ts'
import { fingerprintOf } from '../../pairing/fingerprint.ts'

/**
 * Resolves before anything was sent, so that nobody else gets the key.
 * @throws MienError `certificate-changed`; errors of the socket
 */
export async function pinnedSocket(url: URL, fingerprint: string, signal?: AbortSignal): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || 443)
  // Not at every start: with TLS, Node reads the system's certificates.
  const { connect } = await import('node:tls')
  // Not whether the system trusts it: only the comparison below counts.
  const socket = connect({ host, port, rejectUnauthorized: false, ...(isIP(host) ? {} : { servername: host }) })
  // Between here and the request nobody else listens.
  socket.on('error', () => undefined)
  try {
    await once(socket, 'secureConnect', signal ? { signal } : {})
    if (fingerprintOf(socket.getPeerCertificate().raw) !== fingerprint)
      throw new MienError('certificate-changed', { host: url.host })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
