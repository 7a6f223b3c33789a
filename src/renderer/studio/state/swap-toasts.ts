/** @file The toasts about swaps. */
import { errorText } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { Removed } from '@shared/library-view.ts'
import type { TaskRow, TaskSummary } from '@shared/task-row.ts'
import type { PartChange } from '@shared/task.ts'
import { partTimes } from '../logic/task-view.ts'
import type { Route } from './routes.svelte.ts'
import type { Toast } from './toasts.svelte.ts'

type NewToast = Omit<Toast, 'id'>

/** For a finished or failed swap; null if there is nothing to say or the current view already shows the change. */
export function changedToast(
  before: TaskRow | undefined,
  after: TaskRow,
  route: Route,
  open: () => void,
): NewToast | null {
  if (before === undefined || before.state === after.state) return null
  if (route.view === 'task' && route.taskId === after.id) return null
  if (route.view === 'library' && after.state !== 'kept') return null
  const { title, result, error } = after
  const common = { name: title, action: { label: m.show(), run: open } }
  if (after.state === 'kept') {
    const body = result === null ? undefined : m.toast_finished_in({ folder: result.folderName })
    return { icon: 'done', title: m.toast_finished({ title }), body, ...common }
  }
  if (after.state !== 'failed') return null
  const body = error === null ? undefined : errorText(error).title
  return { icon: 'problem', title: m.toast_failed({ title }), body, ...common }
}

export function removedToast({ count, title, working, kept }: Removed, undo: () => void): NewToast {
  const stays = kept ? m.toast_removed_stays({ count: kept }) : undefined
  return {
    icon: 'removed',
    ...(count === 1 ? { title: m.toast_removed({ title }), name: title } : { title: m.toast_removed_many({ count }) }),
    body: working ? m.toast_removed_stopped({ count: working }) : stays,
    undo: true,
    action: { label: m.undo(), run: undo },
  }
}

/** The title is of one of the cancelled swaps. */
export function cancelledToast({ title }: TaskSummary, count: number, undo: () => void): NewToast {
  return {
    icon: 'removed',
    ...(count === 1
      ? { title: m.toast_cancelled({ title }), name: title }
      : { title: m.toast_cancelled_many({ count }) }),
    body: m.toast_cancelled_kept(),
    undo: true,
    action: { label: m.undo(), run: undo },
  }
}

export function partToast({ part, faces }: PartChange, undo: () => void): NewToast {
  const isLeft = faces.every((face) => face === null)
  return {
    icon: 'done',
    title: isLeft ? m.event_part_left(partTimes(part)) : m.event_part_swapped(partTimes(part)),
    undo: true,
    action: { label: m.undo(), run: undo },
  }
}
