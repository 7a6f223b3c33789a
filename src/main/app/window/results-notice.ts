/** @file Shows a notice while the results folder is unusable. */
import { MienError, type ErrorCode } from '@shared/errors.ts'
import type { Task } from '@shared/tasks/task.ts'
import type { Notices } from '../notices.ts'

interface ResultsNoticeDeps {
  notices: Pick<Notices, 'add' | 'remove'>
  folderName: () => string
  /** Current problem of the folder; null: none. */
  problem: () => Promise<ErrorCode | null>
}

const id = 'results-folder'

export class ResultsNotice {
  constructor(private readonly deps: ResultsNoticeDeps) {}

  /** Call at startup, after a change of the folder, and on window focus: the user may have connected its drive. */
  async check(): Promise<void> {
    this.say(await this.deps.problem())
  }

  /** Updates the notice after a result was saved or failed to save. */
  heard(changed: readonly Task[]): void {
    for (const { state, error } of changed) {
      if (state === 'kept') this.say(null)
      else if (state === 'succeeded' && (error?.code === 'folder-missing' || error?.code === 'folder-read-only'))
        this.say(error.code)
    }
  }

  private say(code: ErrorCode | null): void {
    if (code === null) this.deps.notices.remove(id)
    else {
      const folderName = this.deps.folderName()
      this.deps.notices.add({ id, kind: 'results-folder', folderName, error: new MienError(code).body })
    }
  }
}
