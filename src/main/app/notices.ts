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

/** Shows a notice while the results folder is unusable. */
export class ResultsNotice {
  /** @param problem current one of the folder; null: none */
  constructor(
    private readonly notices: Notices,
    private readonly folderName: () => string,
    private readonly problem: () => Promise<ErrorCode | null>,
  ) {}

  /** Call at startup, after a change of the folder, and on window focus: the user may have connected its drive. */
  async check(): Promise<void> {
    this.say(await this.problem())
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
    const id = 'results-folder'
    if (code === null) this.notices.remove(id)
    else this.notices.add({ id, kind: id, folderName: this.folderName(), error: new MienError(code).body })
  }
}
