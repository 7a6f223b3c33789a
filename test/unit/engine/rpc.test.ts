import { describe, expect, it } from 'vitest'
import { Caller, serve } from '../../../src/renderer/engine/rpc.ts'

type Asked = { name: (slow: boolean) => Promise<string> }

/** A worker that answers with its name, at once or when `finish` is called. */
function worker(name: string) {
  const { port1, port2 } = new MessageChannel()
  const { promise, resolve } = Promise.withResolvers<string>()
  serve(port1, { name: (slow: boolean) => (slow ? promise : Promise.resolve(name)) })
  const close = (): void => {
    port1.close()
    port2.close()
  }
  return { port: port2, finish: () => resolve(name), close }
}

describe('calls to several workers', () => {
  it('go where the fewest wait, and come back to who asked', async () => {
    const [one, other] = [worker('one'), worker('other')]
    const caller = new Caller<Asked>(one.port, other.port)
    const slow = caller.call('name', [true])
    expect(await caller.call('name', [false])).toBe('other')
    expect(await caller.call('name', [false])).toBe('other')
    one.finish()
    expect(await slow).toBe('one')
    expect(await caller.call('name', [false])).toBe('one')
    one.close()
    other.close()
  })

  it('are answered one after the other by one worker', async () => {
    const one = worker('one')
    const caller = new Caller<Asked>(one.port)
    const order: string[] = []
    const slow = caller.call('name', [true]).then(() => order.push('slow'))
    const quick = caller.call('name', [false]).then(() => order.push('quick'))
    one.finish()
    await Promise.all([slow, quick])
    expect(order).toEqual(['slow', 'quick'])
    one.close()
  })
})
