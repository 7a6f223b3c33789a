/** @file The toasts about swaps. */
import { errorText } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { FileOutcome } from '@shared/files/file-outcome.ts'
import type { Removed } from '@shared/tasks/library-view.ts'
import type { TaskRow, TaskSummary } from '@shared/tasks/task-row.ts'
import type { PartChange } from '@shared/tasks/task.ts'
import { partTimes } from '../../logic/library/task-view.ts'
import type { FileWork } from './files.svelte.ts'
import type { Route } from '../app/routes.svelte.ts'
import type { Toast } from '../app/toasts.svelte.ts'

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
    const { batch } = after
    const group = {
      id: `finished ${batch?.id ?? ''}`,
      count: 1,
      titleOf: (count: number) => m.toast_finished_many({ count }),
    }
    return { icon: 'done', title: m.toast_finished({ title }), body, ...common, ...(batch === null ? {} : { group }) }
  }
  if (after.state !== 'failed') return null
  const body = error === null ? undefined : errorText(error).title
  return { icon: 'problem', title: m.toast_failed({ title }), body, ...common }
}

export function removedToast({ count, title, working, kept }: Removed): NewToast {
  const stays = kept ? m.toast_removed_stays({ count: kept }) : undefined
  return {
    icon: 'removed',
    ...(count === 1 ? { title: m.toast_removed({ title }), name: title } : { title: m.toast_removed_many({ count }) }),
    body: working ? m.toast_removed_stopped({ count: working }) : stays,
  }
}

/** For work on files that all went well. */
export function filesToast(work: FileWork, { done, unfinished, folder }: FileOutcome): NewToast {
  if (work === 'trash') {
    const title = m.toast_removed_many({ count: done + unfinished })
    return { icon: 'removed', title, body: m.trash_moved({ count: done }) }
  }
  const left = unfinished === 0 ? null : m.files_unfinished({ count: unfinished })
  if (done === 0) return { icon: 'info', title: m.nothing_to_save(), body: left ?? undefined }
  const saved = folder === null ? undefined : m.toast_finished_in({ folder })
  return { icon: 'done', title: m.copies_saved({ count: done }), body: left ?? saved }
}

/** The title is of one of the cancelled swaps. */
export function cancelledToast({ title }: TaskSummary, count: number): NewToast {
  return {
    icon: 'removed',
    ...(count === 1
      ? { title: m.toast_cancelled({ title }), name: title }
      : { title: m.toast_cancelled_many({ count }) }),
    body: m.toast_cancelled_kept(),
  }
}

export function partToast({ part, faces }: PartChange): NewToast {
  const isLeft = faces.every((face) => face === null)
  return {
    icon: 'done',
    title: isLeft ? m.event_part_left(partTimes(part)) : m.event_part_swapped(partTimes(part)),
  }
}
