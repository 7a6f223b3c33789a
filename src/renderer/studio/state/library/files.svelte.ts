/** @file Work on the files of many swaps: copying them, or moving them to the trash. One at a time. */
import type { FileOutcome, FileProgress } from '@shared/files/file-outcome.ts'
import type { Bridge } from '@shared/ipc/contract.ts'

export type FileWork = 'save' | 'trash'

export class FilesState {
  #running = $state.raw<{ work: FileWork; progress: FileProgress | null } | null>(null)
  /** What the report dialog shows; null: it is closed. */
  report = $state.raw<{ work: FileWork; outcome: FileOutcome } | null>(null)
  /** What runs now; its progress is null before the first file. */
  readonly running = $derived(this.#running)

  constructor(private readonly bridge: Bridge['results']) {
    bridge.progress((progress) => {
      if (this.#running) this.#running = { ...this.#running, progress }
    })
  }

  /**
   * Opens the report unless everything went well.
   * @returns null if the user closed the folder dialog, or other work runs
   */
  async run(work: FileWork, numbers: Uint32Array): Promise<FileOutcome | null> {
    if (this.#running) return null
    this.#running = { work, progress: null }
    try {
      const outcome = await (work === 'save' ? this.bridge.saveCopies({ numbers }) : this.bridge.trash({ numbers }))
      if (outcome !== null && !isComplete(outcome)) this.report = { work, outcome }
      return outcome
    } finally {
      this.#running = null
    }
  }
}

export const isComplete = ({ failedCount, left, problem }: FileOutcome): boolean =>
  failedCount === 0 && left === 0 && problem === null
