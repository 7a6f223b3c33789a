/** @file Says when the folder for results cannot be used, until it can. */
import { MienError, type ErrorCode } from '@shared/errors.ts'
import type { Task } from '@shared/task.ts'
import type { Notices } from '../notices/notices.ts'

interface ResultsNoticeDeps {
  notices: Pick<Notices, 'add' | 'remove'>
  folderName: () => string
  /** What is wrong with the folder now. */
  problem: () => Promise<ErrorCode | null>
}

const id = 'results-folder'

export class ResultsNotice {
  private readonly deps: ResultsNoticeDeps

  constructor(deps: ResultsNoticeDeps) {
    this.deps = deps
  }

  /** For the start, another folder, and whenever the user comes back, who may have connected its drive. */
  async check(): Promise<void> {
    this.say(await this.deps.problem())
  }

  /** A result was saved, or could not be. */
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
