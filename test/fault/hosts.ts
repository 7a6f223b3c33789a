/** @file What lies beside the services of a run: another host that must never see a key, and addresses that are no service. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer as createTcpServer, type Server } from 'node:net'
import { join } from 'node:path'
import { listen } from '../fixtures/listen.ts'
import type { WrongAddress } from './cases.ts'

const hostOf = async (server: Server): Promise<string> => `127.0.0.1:${await listen(server)}`

export interface Hosts {
  /** Address of the other host. */
  other: string
  /** Everything that the other host and the wrong addresses were sent, headers and bodies. */
  heard: () => string
  wrong: Record<WrongAddress, string>
  stop: () => void
}

export async function openHosts(): Promise<Hosts> {
  let heard = ''
  const note = (chunk: unknown): void => {
    heard += `${String(chunk)}\n`
  }
  const other = createServer((request, response) => {
    note(`${request.method ?? ''} ${request.url ?? ''} ${JSON.stringify(request.headers)}`)
    request.on('data', note)
    request.on('end', () => response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here'))
  })
  const plain = createTcpServer((socket) => {
    socket.on('data', note).on('error', () => undefined)
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  const pem = readFileSync(join(import.meta.dirname, 'self-signed.pem'), 'utf8')
  const selfSigned = createTlsServer({ key: pem, cert: pem }, (request, response) => {
    note(`${request.url ?? ''} ${JSON.stringify(request.headers)}`)
    response.end('{}')
  })
  const [otherHost, plainHost, tlsHost] = [await hostOf(other), await hostOf(plain), await hostOf(selfSigned)]
  // The port of a connection refuses others, and no server of another test can get it.
  const holder = createTcpServer()
  const held = connect(await listen(holder), '127.0.0.1')
  await once(held, 'connect')
  return {
    other: `http://${otherHost}`,
    heard: () => heard,
    wrong: {
      dns: 'http://no-such-host.invalid:8080',
      refused: `http://127.0.0.1:${String(held.localPort)}`,
      'tls-protocol': `https://${plainHost}`,
      'tls-self-signed': `https://${tlsHost}`,
    },
    stop: () => {
      held.destroy()
      for (const server of [other, plain, selfSigned, holder]) {
        if ('closeAllConnections' in server) server.closeAllConnections()
        server.close()
      }
    },
  }
}
