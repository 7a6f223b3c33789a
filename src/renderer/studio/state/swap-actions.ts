/** @file What the actions of swaps do, for one swap and for the selection. */
import type { TaskRow } from '@shared/tasks/task-row.ts'
import type { Runs } from './app/actions.svelte.ts'
import type { Studio } from './studio.svelte.ts'

/** What an action on a swap acts on: in the library the whole selection, if the swap is in it. */
export function targetsOf(studio: Studio, { number }: Pick<TaskRow, 'number'>): ReadonlySet<number> {
  return studio.routes.route.view === 'library' ? studio.library.targets(number) : new Set([number])
}

/** Actions on a swap. */
export function swapActions(studio: Studio, task: TaskRow): Runs<'swap'> {
  const isKept = task.state === 'kept'
  const targets = targetsOf(studio, task)
  return {
    rename: () => {
      studio.renaming = task
    },
    'save-as': isKept && (() => studio.swaps.saveAs(task)),
    reveal: isKept && (() => studio.swaps.showInFolder(task)),
    'open-in-player': isKept && (() => studio.swaps.openInPlayer(task)),
    ...manyActions(studio, targets, task.favourite, isKept || targets.size > 1),
  }
}

/** Actions on any number of swaps. */
export function manyActions(
  studio: Studio,
  targets: ReadonlySet<number>,
  favourite: boolean,
  hasFile: boolean,
): Runs<'swap'> {
  return {
    tag: () => {
      studio.labels.tagging = targets
    },
    favourite: () => studio.labels.setFavourite(targets, !favourite),
    'copy-files':
      hasFile &&
      ((event) => {
        // The key copies text if some is selected.
        if (event && getSelection()?.isCollapsed === false) return false
        studio.swaps.copyFiles(targets)
        return true
      }),
    'copy-paths': hasFile && (() => studio.swaps.copyPaths(targets)),
    'save-copies': hasFile && (() => studio.swaps.withFiles('save', targets)),
    trash: hasFile && (() => studio.ask('trash', targets)),
    'another-face': () => studio.ask('face', targets),
  }
}
