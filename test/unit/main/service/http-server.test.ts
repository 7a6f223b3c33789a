import type { Server, Socket } from 'node:net'
import { Hono } from 'hono'
import { afterEach, expect, it } from 'vitest'
import { Connections, type Env } from '../../../../src/main/service/http/guard.ts'
import { listen, type HttpServer } from '../../../../src/main/service/http/cluster-server.ts'

/** Tells which server takes the connections. */
class KnownConnections extends Connections {
  server: Server | null = null
  override opened(socket: Socket & { server?: Server }): void {
    this.server = socket.server ?? null
    super.opened(socket)
  }
}

let server: HttpServer
afterEach(() => server.close())

it('goes on after errors while it listens, e.g. if there are too many open files', async () => {
  const connections = new KnownConnections(10)
  const logged: unknown[] = []
  const app = new Hono<Env>().get('/', (c) => c.text('here'))
  const log = (_message: string, error: unknown) => logged.push(error)
  server = await listen({ app, connections, tls: null, log, address: '127.0.0.1', port: 0 })
  const ask = async (): Promise<string> => (await fetch(`http://127.0.0.1:${String(server.port)}`)).text()
  expect(await ask()).toBe('here')
  const errors = [1, 2].map(() => Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
  // As Node does when it can't take a connection.
  for (const error of errors) connections.server?.emit('error', error)
  expect(logged).toEqual(errors)
  expect(await ask()).toBe('here')
})
