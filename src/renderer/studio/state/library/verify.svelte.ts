/** @file The file on the page that verifies files. */
import type { Bridge } from '@shared/ipc/contract.ts'
import type { GivenFile, VerifiedFile } from '@shared/files/verification.ts'
import { toErrorBody, type ErrorBody } from '@shared/mien-error.ts'

export type Shown =
  | { readonly state: 'empty' }
  | { readonly state: 'checking'; readonly file: GivenFile }
  | ({ readonly state: 'checked'; readonly file: GivenFile } & VerifiedFile)
  /** `file` is null if it could not be opened. */
  | { readonly state: 'wrong'; readonly file: GivenFile | null; readonly error: ErrorBody }

export class VerifyState {
  #shown = $state.raw<Shown>({ state: 'empty' })
  /** Increments with each file, so that an answer about an earlier one is dropped. */
  #turn = 0
  readonly shown = $derived(this.#shown)

  constructor(private readonly bridge: Bridge['credentials']) {}

  drop(file: File): Promise<void> {
    return this.#verify(this.bridge.drop(file))
  }

  async choose(): Promise<void> {
    const chosen = this.bridge.choose()
    // A dialog that was closed changes nothing.
    if ((await chosen.catch(() => undefined)) !== null) await this.#verify(chosen)
  }

  ofSwap(taskId: string): Promise<void> {
    return this.#verify(this.bridge.ofSwap({ taskId }))
  }

  /** Drops the file, and the answer about it. */
  leave(): void {
    this.#turn += 1
    this.#shown = { state: 'empty' }
    this.bridge.leave().catch(() => undefined)
  }

  async #verify(given: Promise<GivenFile | null>): Promise<void> {
    const turn = (this.#turn += 1)
    const show = (shown: Shown): void => {
      if (turn === this.#turn) this.#shown = shown
    }
    let file: GivenFile | null = null
    try {
      file = await given
      if (file === null) return
      show({ state: 'checking', file })
      show({ state: 'checked', file, ...(await this.bridge.verify({ token: file.token })) })
    } catch (thrown) {
      show({ state: 'wrong', file, error: toErrorBody(thrown) })
    }
  }
}
