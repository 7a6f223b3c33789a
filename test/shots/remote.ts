/** @file What the pictures have online: a service that is slow, one that refuses every key, and a video. On this computer only. */
import { FakeService, json, listOf, routes, type Reply } from '../fixtures/fake-service.ts'

async function open(route: string, reply: Reply): Promise<FakeService> {
  const service = await new FakeService().start()
  service.replies.set(route, reply)
  return service
}

/** `waiting-…` waits, `working-…` is at 40 %, every other id is not known. Never finishes. */
export const slowService = (): Promise<FakeService> =>
  open(
    routes.list,
    listOf((id) => {
      const item = { taskId: id, title: id }
      if (id.startsWith('working')) return { ...item, status: 'processing', progress: 0.4, etaMs: 170_000 }
      return id.startsWith('waiting') ? { ...item, status: 'queued' } : null
    }),
  )

export const refusingService = (): Promise<FakeService> => open('', json({ message: 'Unknown key' }, 401))

/** A video that comes a little at a time, for the picture of a reading. */
export const slowVideo = (bytes: Uint8Array): Promise<FakeService> =>
  open('', (_request, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes.length })
    response.write(bytes.subarray(0, Math.floor(bytes.length * 0.55)))
  })
