/** @file Removes a swap's files from the user's upload target once its service no longer needs them. */
import { isActive, type Task } from '@shared/tasks/task.ts'
import type { TaskDelta } from '../store/task-board.ts'
import type { Parts } from '../store/parts.ts'

/** Whether a service may still need the swap's files. */
const isUnderWay = ({ state }: Task): boolean => isActive(state) || state === 'unconfirmed'

export class UploadCleanup {
  constructor(private readonly deps: Pick<Parts, 'board' | 'uploads' | 'log'>) {}

  /** Removes the files of swaps that ended or were removed. */
  follow({ changed, removed }: Pick<TaskDelta, 'changed' | 'removed'>): void {
    for (const task of changed) if (!isUnderWay(task)) this.clear(task.id)
    if (removed.length > 100) this.sweep()
    else for (const id of removed) this.clear(id)
  }

  /** Removes the files of all swaps that are not under way. */
  sweep(): void {
    const { board, uploads, log } = this.deps
    uploads
      ?.sweep((id) => {
        const task = board.held(id)
        return task !== undefined && isUnderWay(task)
      })
      .catch((error: unknown) => {
        log('Clearing up after uploads failed', error)
      })
  }

  private clear(taskId: string): void {
    this.deps.uploads?.ended(taskId).catch((error: unknown) => {
      this.deps.log('Clearing up after an upload failed', error)
    })
  }
}
