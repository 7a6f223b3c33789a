/** @file Notices that don't concern a single swap, shown until solved or dismissed. */
import type { Notice } from '@shared/ipc/notice.ts'

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
