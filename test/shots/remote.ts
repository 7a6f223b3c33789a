/** @file Online services for the pictures: one that is slow, one that refuses every key. On this computer only. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Remote {
  readonly url: string
  readonly close: () => Promise<void>
}

async function listen(server: Server): Promise<Remote> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
  return {
    url: `http://127.0.0.1:${String(port)}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => {
          resolve()
        })
      }),
  }
}

/** `waiting-…` waits, `working-…` is at 40 %, every other id is not known. Never finishes. */
export const slowService = (): Promise<Remote> =>
  listen(
    createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://service')
      const answer = (status: number, body: unknown): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      }
      if (!url.pathname.includes('listbyids')) {
        answer(404, { message: 'Not here' })
        return
      }
      const asked = (url.searchParams.get('objectID') ?? '').split(',')
      const ids = asked.filter((id) => /^(?:waiting|working)/.test(id))
      const item = (objectId: string): object => ({
        objectId,
        taskId: objectId,
        title: objectId,
        ...(objectId.startsWith('working')
          ? { status: 'processing', progress: 0.4, etaMs: 170_000 }
          : { status: 'queued' }),
      })
      answer(200, { list: ids.map(item) })
    }),
  )

export const refusingService = (): Promise<Remote> =>
  listen(
    createServer((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"Unknown key"}')
    }),
  )

/** A video that comes a little at a time, for the picture of a reading. */
export const slowVideo = (bytes: Uint8Array): Promise<Remote> =>
  listen(
    createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes.length })
      response.write(bytes.subarray(0, Math.floor(bytes.length * 0.55)))
    }),
  )
