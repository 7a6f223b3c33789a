/** @file Signs results: what swaps need of content credentials. */
import type { CredentialsState, Task, TaskResult } from '@shared/tasks/task.ts'

export interface ResultSigner {
  /**
   * Writes a signed copy of `source` to `target`, whole and on disk, or says why there is none.
   * @throws MienError `not-signed`, file system errors, the reason of `signal`
   */
  sign(signing: {
    task: Task
    result: Pick<TaskResult, 'model' | 'frames' | 'swappedFrames'>
    source: string
    target: string
    signal: AbortSignal
    /** A part that was swapped again, in ms of the result. */
    change?: { kind: 'swapped' | 'left'; startMs: number; endMs: number }
  }): Promise<CredentialsState>
  /** Whether a file that an earlier run saved is signed. */
  stateOf(path: string): Promise<CredentialsState>
}
