/** @file IPC handlers for proofs. */
import type { ProofState } from '@shared/people/proof.ts'
import type { AppContext } from '../../app-context.ts'
import type { GroupHandlers } from '../register.ts'

export function proofHandlers({ proof }: AppContext, onChanged: (changed: ProofState) => void): GroupHandlers<'proof'> {
  proof.onChanged(onChanged)
  return {
    begin: ({ id, draft }) => {
      proof.begin(id, draft)
    },
    stop: () => {
      proof.stop()
    },
  }
}
