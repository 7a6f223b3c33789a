/** @file Notices that don't concern a single swap, shown until solved or dismissed. */
import { MienError, type ErrorCode } from '@shared/errors.ts'
import type { Notice } from '@shared/ipc/app-state.ts'
import type { Task } from '@shared/tasks/task.ts'

export class Notices {
  private notices: Notice[] = []

  constructor(private readonly onChanged: (notices: Notice[]) => void) {}

  list(): Notice[] {
    return this.notices
  }

  /** Adds a notice, or replaces the one with the same id. */
  add(notice: Notice): void {
    this.notices = [...this.notices.filter((each) => each.id !== notice.id), notice]
    this.onChanged(this.notices)
  }

  remove(id: string): void {
    if (!this.notices.some((each) => each.id === id)) return
    this.notices = this.notices.filter((each) => each.id !== id)
    this.onChanged(this.notices)
  }
}

interface ResultsNoticeDeps {
  notices: Notices
  folderName: () => string
  /** Current problem of the folder; null: none. */
  problem: () => Promise<ErrorCode | null>
}

/** Shows a notice while the results folder is unusable. */
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
    if (code === null) this.deps.notices.remove('results-folder')
    else {
      const folderName = this.deps.folderName()
      this.deps.notices.add({
        id: 'results-folder',
        kind: 'results-folder',
        folderName,
        error: new MienError(code).body,
      })
    }
  }
}
