import { onTestFinished } from 'vitest'
import { serve } from '../../../src/renderer/engine/common/rpc.ts'

/** A port to a worker with these methods, which is closed after the test. */
export function portTo<M extends Parameters<typeof serve>[1]>(
  methods: M,
  handOver?: Parameters<typeof serve<M>>[2],
): MessagePort {
  const { port1, port2 } = new MessageChannel()
  serve(port2, methods, handOver)
  onTestFinished(() => port2.close())
  return port1
}
