/** @file Connections to the embedded service: programs without a key can't block it, and none outlives it. */
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { services, type ServiceUnderTest } from './service-under-test.ts'

const attackers = 100

let service: ServiceUnderTest
let key: string
const sockets: Socket[] = []

describe.each(services)('%s', (_name, open) => {
  beforeEach(async () => {
    service = await open({ headersMs: 1000 })
    key = (await service.client(null).newKey(1n)).shown
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await service.close()
  })

  /** A connection that sends its headers byte by byte, without end. */
  function slowHeaders(): Socket {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.write('GET /v1/capabilities HTTP/1.1\r\nHost: ')
    const timer = setInterval(() => socket.write('x'), 200)
    socket.on('close', () => clearInterval(timer))
    return socket
  }

  const keyed = (path: string, options: { method?: string; headers?: Record<string, string> } = {}): ClientRequest =>
    request(path.startsWith('http') ? path : service.baseUrl + path, {
      ...{ method: options.method ?? 'GET', agent: false },
      headers: { 'X-Service-Apikey': key, ...options.headers },
    })
  const answered = (asked: ClientRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => asked.once('response', resolve).once('error', reject))

  it('keeps few connections without a key, drops slow headers, and lets transfers with a key end', async () => {
    const client = service.client(key)
    const content = Buffer.alloc(20_000_000, 'content ')
    const url = await client.uploadAsset(await service.file('large.bin', content), 'large.bin')
    const files = (await service.files()).length
    // A download that is not read for now, and an upload of which half is sent.
    const download = keyed(url).end()
    const coming = (await answered(download)).pause()
    const upload = keyed('/v1/assets/slow.bin', { method: 'PUT', headers: { 'content-length': '20' } })
    upload.flushHeaders()
    upload.write('0123456789')
    await vi.waitFor(async () => expect(await service.files()).toHaveLength(files + 1))

    const began = Date.now()
    const closed = { count: 0 }
    for (let count = 0; count < attackers; count++) slowHeaders().once('close', () => (closed.count += 1))
    await vi.waitFor(() => expect(closed.count).toBeGreaterThanOrEqual(attackers - 64))
    expect((await client.test()).keyAccepted).toBe(true)
    await vi.waitFor(() => expect(closed.count).toBe(attackers))
    // Each was closed by the limits, not by its own end: those are silent after two minutes only.
    expect(Date.now() - began).toBeLessThan(60_000)

    upload.end('0123456789')
    const put = await answered(upload)
    put.resume()
    expect(put.statusCode).toBe(200)
    let bytes = 0
    for await (const chunk of coming) bytes += (chunk as Buffer).byteLength // no encoding is set
    expect(bytes).toBe(content.byteLength)
  })

  it('ends requests in flight before it is disposed', async () => {
    const uploads = Array.from({ length: 20 }, (_, n) =>
      keyed(`/v1/assets/${String(n)}.bin`, { method: 'PUT', headers: { 'content-length': '20' } }),
    )
    const ended = uploads.map((upload) => answered(upload).catch((error: unknown) => error))
    for (const upload of uploads) upload.write('0123456789')
    await vi.waitFor(async () => expect(await service.files()).toHaveLength(uploads.length))
    let left: string[] = ['not asked']
    await service.restart({
      meanwhile: async () => {
        left = await service.files()
        await Promise.all(ended)
      },
    })
    expect(left).toEqual([])
  })
})
