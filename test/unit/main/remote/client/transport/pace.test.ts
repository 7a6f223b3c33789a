import { beforeEach, expect, it, vi } from 'vitest'
import { Requests } from '../../../../../../src/main/remote/client/transport/requests.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  vi.advanceTimersByTime(1000)
})

it('sends no burst after the computer stood still', async () => {
  let sent = 0
  const requests = new Requests({
    baseUrl: 'http://127.0.0.1:1',
    keyHeader: 'x-key',
    durationUnit: 'ms',
    readKey: async () => 'k',
    gapMs: 60,
    fetch: async () => {
      sent += 1
      return new Response('{}', { headers: { 'content-type': 'application/json' } })
    },
  })
  const all = Promise.all(Array.from({ length: 6 }, () => requests.send({ method: 'GET', path: '/list' })))
  await vi.advanceTimersByTimeAsync(0)
  expect(sent).toBe(1)
  // All at once, with nothing done in between.
  vi.advanceTimersByTime(300)
  await vi.advanceTimersByTimeAsync(0)
  expect(sent).toBe(2)
  await vi.advanceTimersByTimeAsync(4 * 60)
  expect(sent).toBe(6)
  await all
})
