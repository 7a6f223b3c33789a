import { expect, it } from 'vitest'
import { MienError } from '../../../src/shared/mien-error.ts'
import { Caller } from '../../../src/renderer/engine/common/rpc.ts'
import { portTo } from './port-to.ts'

type Asked = { name: (slow: boolean) => Promise<string> }

/** A worker that answers with its name, at once or when `finish` is called. */
function worker(name: string) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const port = portTo({ name: (slow: boolean) => (slow ? promise : Promise.resolve(name)) })
  return { port, finish: () => resolve(name) }
}

it('calls to several workers go where the fewest wait, and come back to who asked', async () => {
  const [one, other] = [worker('one'), worker('other')]
  const caller = new Caller<Asked>(one.port, other.port)
  const slow = caller.call('name', [true])
  expect(await caller.call('name', [false])).toBe('other')
  expect(await caller.call('name', [false])).toBe('other')
  one.finish()
  expect(await slow).toBe('one')
  expect(await caller.call('name', [false])).toBe('one')
})

it('calls to several workers are answered one after the other by one worker', async () => {
  const one = worker('one')
  const caller = new Caller<Asked>(one.port)
  const order: string[] = []
  const slow = caller.call('name', [true]).then(() => order.push('slow'))
  const quick = caller.call('name', [false]).then(() => order.push('quick'))
  one.finish()
  await Promise.all([slow, quick])
  expect(order).toEqual(['slow', 'quick'])
})

it('calls to several workers hand over what they take along, and get back what is handed over to them', async () => {
  const port = portTo({ echo: (buffer: ArrayBuffer) => buffer }, (buffer) => [buffer])
  const caller = new Caller<{ echo: (buffer: ArrayBuffer) => ArrayBuffer }>(port)
  const buffer = new ArrayBuffer(8)
  const answer = caller.call('echo', [buffer], [buffer])
  expect(buffer.byteLength).toBe(0)
  expect((await answer).byteLength).toBe(8)
})

it('calls to several workers get errors back, those of Mien with their code', async () => {
  const port = portTo({
    fail: (known: boolean) => {
      throw known ? new MienError('model-failed', { reason: 'no' }) : new RangeError('too far')
    },
  })
  const caller = new Caller<{ fail: (known: boolean) => never }>(port)
  await expect(caller.call('fail', [true])).rejects.toMatchObject({ code: 'model-failed', details: { reason: 'no' } })
  await expect(caller.call('fail', [false])).rejects.toThrow('too far')
})

it('calls to several workers fail once nobody is there, those that wait and those to come', async () => {
  const one = worker('one')
  const caller = new Caller<Asked>(one.port)
  const waiting = caller.call('name', [true])
  caller.fail(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  await expect(caller.call('name', [false])).rejects.toThrow('gone')
})
