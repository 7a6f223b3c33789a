/** @file IPC handlers for proofs. */
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

export function proofHandlers({ context: { proof }, send }: HandlerDeps): GroupHandlers<'proof'> {
  proof.onChanged((changed) => {
    send('proof', 'changed', changed)
  })
  return {
    begin: ({ id, draft }) => {
      proof.begin(id, draft)
    },
    stop: () => {
      proof.stop()
    },
  }
}
