/** @file Requests with exactly this path and these headers, unlike fetch. */
import { request, type IncomingHttpHeaders } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { TLSSocket } from 'node:tls'

export interface Heard {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** Of TLS. */
  protocol: string | null
}

interface Said {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Any certificate is taken. */
export function sayTo(baseUrl: string, path: string, { body = '', ...said }: Said = {}): Promise<Heard> {
  const { protocol, hostname, port } = new URL(baseUrl)
  const options = { hostname, port, path, agent: false, rejectUnauthorized: false, ...said }
  return new Promise((resolve, reject) => {
    const asked = (protocol === 'https:' ? tlsRequest : request)(options, (answer) => {
      const { statusCode: status = 0, headers, socket } = answer
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => {
        const tls = socket instanceof TLSSocket ? socket.getProtocol() : null
        resolve({ status, headers, body: Buffer.concat(parts).toString('utf8'), protocol: tls })
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}
