/** @file A release host on loopback: a folder of files, in ranges, that can cut a connection. */
import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { parseByteRange } from '../../src/main/machine/transfer/byte-range.ts'
import { close, listen } from '../fixtures/listen.ts'

export class FeedServer {
  /** Body bytes sent, by file. */
  readonly sent = new Map<string, number>()
  readonly headers: IncomingMessage['headers'][] = []
  /** Answers with a redirect to this address. */
  redirect: string | null = null
  /** Cuts each answer of the program after this many bytes. */
  cutAfter: number | null = null
  private readonly server: Server
  private readonly dir: string

  constructor(dir: string) {
    this.dir = dir
    this.server = createServer((request, response) => this.answer(request, response))
  }

  async start(): Promise<string> {
    return `http://127.0.0.1:${await listen(this.server)}/releases`
  }

  stop(): Promise<void> {
    return close(this.server)
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    this.headers.push(request.headers)
    const name = decodeURIComponent(new URL(request.url ?? '', 'http://x').pathname).replace('/releases/', '')
    const path = join(this.dir, name)
    if (name.includes('/') || !existsSync(path)) {
      response.writeHead(404).end('not found')
      return
    }
    if (this.redirect !== null && name.endsWith('.AppImage')) {
      response.writeHead(302, { location: this.redirect }).end()
      return
    }
    const { size } = statSync(path)
    const range = parseByteRange(request.headers.range ?? null, size)
    if (range === 'unsatisfiable') {
      response.writeHead(416).end()
      return
    }
    const { start, end } = range ?? { start: 0, end: size - 1 }
    response.writeHead(range ? 206 : 200, {
      'content-length': end - start + 1,
      'accept-ranges': 'bytes',
      ...(range ? { 'content-range': `bytes ${String(start)}-${String(end)}/${String(size)}` } : {}),
    })
    const cut = name.endsWith('.AppImage') ? this.cutAfter : null
    const stream = createReadStream(path, { start, end })
    let sent = 0
    stream.on('data', (chunk) => {
      sent += chunk.length
      this.sent.set(name, (this.sent.get(name) ?? 0) + chunk.length)
      if (cut !== null && sent > cut) response.destroy()
    })
    stream.pipe(response)
  }
}
