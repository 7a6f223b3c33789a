/** @file Removes a swap's files from the user's upload target once its service no longer needs them. */
import { isActive, type Task } from '@shared/tasks/task.ts'
import type { Parts } from '../store/parts.ts'

/** Whether a service may still need the swap's files. */
const isUnderWay = (task: Task | undefined): boolean =>
  task !== undefined && (isActive(task.state) || task.state === 'unconfirmed')

/** Removes the files of swaps that ended or were removed, now and from now on. */
export function clearUploads({ board, uploads, log }: Pick<Parts, 'board' | 'uploads' | 'log'>): void {
  const logged = (work: Promise<void> | undefined): void => {
    work?.catch((error: unknown) => {
      log('Clearing up after uploads failed', error)
    })
  }
  const sweep = (): void => {
    logged(uploads?.sweep((id) => isUnderWay(board.held(id))))
  }
  board.onDelta(({ changed, removed }) => {
    for (const task of changed) if (!isUnderWay(task)) logged(uploads?.ended(task.id))
    if (removed.length > 100) sweep()
    else for (const id of removed) logged(uploads?.ended(id))
  })
  sweep()
}
