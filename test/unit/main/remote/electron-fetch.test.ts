/** @file What goes out over Electron's net must settle, whatever comes back; the real thing runs in test/e2e and test/bench/faults. */
import { EventEmitter, getEventListeners } from 'node:events'
import { Readable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { byOrigin, electronFetch, freshFetch, type OpenRequest } from '../../../../src/main/remote/electron-fetch.ts'

/** A request of Electron's that is answered as told. */
class Asked extends EventEmitter {
  setHeader(): void {
    // Nothing reads it.
  }
  abort(): void {
    this.emit('abort')
  }
  end(): void {
    this.emit('ended')
  }
}

const answering = (play: (asked: Asked) => void) =>
  electronFetch(() => {
    const asked = new Asked()
    asked.on('ended', () => setImmediate(play, asked))
    // The other methods aren't called.
    return asked as unknown as ReturnType<OpenRequest>
  })

it.each<[string, (asked: Asked) => void]>([
  ['a status that no answer has', (asked) => asked.emit('response', { statusCode: 2, headers: {} })],
  ['a header that none can carry', (asked) => asked.emit('response', { statusCode: 200, headers: { 'x y': '1' } })],
  ['a redirect to what no header can carry', (asked) => asked.emit('redirect', 302, 'GET', 'http://h/\u{1f600}\n')],
])('%s is a failure of the request, and nobody else’s', async (_, play) => {
  const fetch = answering(play)
  await expect(fetch('http://127.0.0.1/', { redirect: 'manual' })).rejects.toThrow('ERR_INVALID_HTTP_RESPONSE')
})

it.each<[string, (asked: Asked) => void]>([
  [
    'an answer',
    (asked) => asked.emit('response', Object.assign(Readable.from(['ok']), { statusCode: 200, headers: {} })),
  ],
  ['an answer without a body', (asked) => asked.emit('response', { statusCode: 204, headers: {} })],
  ['a redirect', (asked) => asked.emit('redirect', 302, 'GET', 'http://h/')],
  ['an error', (asked) => asked.emit('error', new Error('net::ERR_FAILED'))],
])('after %s, the signal no longer holds the request and its body', async (_, play) => {
  const { signal } = new AbortController()
  const asked = answering(play)('http://127.0.0.1/', { redirect: 'manual', signal })
  await asked.then((answer) => answer.text()).catch(() => undefined)
  await vi.waitFor(() => expect(getEventListeners(signal, 'abort')).toEqual([]))
})

it('an answer on its way ends when its caller gives up', async () => {
  let aborted = 0
  const fetch = answering((asked) => {
    asked.on('abort', () => (aborted += 1))
    asked.emit('response', Object.assign(new Readable({ read: () => undefined }), { statusCode: 200, headers: {} }))
  })
  const stop = new AbortController()
  await fetch('http://127.0.0.1/', { signal: stop.signal })
  stop.abort()
  expect(aborted).toBe(1)
})

it('a create that its caller gave up on holds up no other', async () => {
  let count = 0
  const hangs: typeof globalThis.fetch = async () => {
    count += 1
    return count === 1 ? new Promise(() => undefined) : new Response('{}')
  }
  const fetch = freshFetch({ closeAllConnections: async () => undefined }, hangs)
  const stop = new AbortController()
  const first = fetch('http://127.0.0.1/', { signal: stop.signal })
  const second = fetch('http://127.0.0.1/')
  stop.abort(new Error('given up'))
  await expect(first).rejects.toThrow('given up')
  expect((await second).status).toBe(200)
})

it('a create ends when its caller gives up, even if closing the connections never ends', async () => {
  const hangs = () => new Promise<never>(() => undefined)
  const fetch = freshFetch({ closeAllConnections: hangs }, hangs)
  const stop = new AbortController()
  const create = fetch('http://127.0.0.1/', { signal: stop.signal })
  stop.abort(new Error('given up'))
  await expect(create).rejects.toThrow('given up')
})

it('each origin has connections of its own', async () => {
  let made = 0
  const fetch = byOrigin(() => {
    made += 1
    return async () => new Response(String(made))
  })
  for (const url of ['http://a/1', 'http://a/2', 'http://b/1', new Request('http://b/2')]) await fetch(url)
  expect(made).toBe(2)
})
