import { expect, it } from 'vitest'
import { ask, plainFetch } from '../../../../../../src/main/remote/client/transport/http.ts'

/** Answers with a body that never ends, and pays no attention to signals. */
const deaf: typeof globalThis.fetch = () =>
  Promise.resolve(
    new Response(
      new ReadableStream({
        start: (controller) => {
          controller.enqueue(new Uint8Array([32]))
        },
      }),
    ),
  )

it('ends a body at the deadline, even if the fetch does not notice its signal', async () => {
  let timedOut = false
  const asked = ask(plainFetch(deaf), {
    ...{ method: 'GET', url: new URL('http://127.0.0.1/'), headers: {}, deadlineMs: 200 },
    onTimeout: () => (timedOut = true),
  })
  await expect(asked).rejects.toMatchObject({ code: 'service-timeout' })
  expect(timedOut).toBe(true)
})

it('ends a body when its caller gives up', async () => {
  const stop = new AbortController()
  const asked = ask(plainFetch(deaf), {
    ...{ method: 'GET', url: new URL('http://127.0.0.1/'), headers: {}, deadlineMs: 60_000, signal: stop.signal },
    onTimeout: () => undefined,
  })
  setTimeout(() => {
    stop.abort(new Error('not wanted'))
  }, 50)
  await expect(asked).rejects.toThrow('not wanted')
})
