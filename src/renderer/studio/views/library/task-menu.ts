/** @file The context menu of a swap, or of the selected swaps. */
import ArrowDown from '@lucide/svelte/icons/arrow-down'
import ArrowDownToLine from '@lucide/svelte/icons/arrow-down-to-line'
import ArrowUp from '@lucide/svelte/icons/arrow-up'
import ArrowUpToLine from '@lucide/svelte/icons/arrow-up-to-line'
import Download from '@lucide/svelte/icons/download'
import Folder from '@lucide/svelte/icons/folder'
import Pencil from '@lucide/svelte/icons/pencil'
import Pause from '@lucide/svelte/icons/pause'
import Play from '@lucide/svelte/icons/play'
import RefreshCw from '@lucide/svelte/icons/refresh-cw'
import Trash from '@lucide/svelte/icons/trash'
import Wrench from '@lucide/svelte/icons/wrench'
import X from '@lucide/svelte/icons/x'
import { m } from '@shared/i18n/paraglide/messages.js'
import { isActive } from '@shared/task-states.ts'
import type { TaskRow } from '@shared/task-row.ts'
import type { MenuItem } from '../../components/menu.ts'
import { isMovable } from '../../logic/queue.ts'
import { shortcuts } from '../../logic/shortcuts.ts'
import { canBePaused, recoveryActions, recoveryLabel } from '../../logic/task-view.ts'
import { applyRecovery } from '../../state/recovery.ts'
import type { Studio } from '../../state/studio.svelte.ts'

/** Items that move a waiting swap within its service's queue. */
export function orderItems(studio: Studio, { id, profileId }: TaskRow): MenuItem[] {
  const place = studio.tasks.place(id)
  if (place === null) return []
  const length = studio.tasks.active.filter((task) => task.profileId === profileId && isMovable(task)).length
  const item = (to: 'first' | 'up' | 'down' | 'last', label: string, icon: MenuItem['icon']): MenuItem => ({
    ...{ label, icon },
    run: () => {
      studio.try(() => studio.bridge.tasks.move({ taskId: id, to }))
    },
  })
  return [
    ...(place > 0 ? [item('first', m.move_first(), ArrowUpToLine)] : []),
    ...(place > 1 ? [item('up', m.move_up(), ArrowUp)] : []),
    ...(place < length - 2 ? [item('down', m.move_down(), ArrowDown)] : []),
    ...(place < length - 1 ? [item('last', m.move_last(), ArrowDownToLine)] : []),
  ]
}

const activeOf = (task: TaskRow): TaskRow[] => (isActive(task.state) ? [task] : [])

/** Menu for a swap, or for the whole selection if the swap is part of it. */
export function menuFor(studio: Studio, task: TaskRow): MenuItem[] {
  const targets = studio.library.targets(task.number)
  const several = targets.size > 1
  const active = several ? studio.tasks.active.filter(({ number }) => targets.has(number)) : activeOf(task)
  const items: MenuItem[] = []
  if (!several) {
    items.push({
      label: m.open(),
      icon: Play,
      keys: 'enter',
      run: () => {
        studio.open(task.id)
      },
    })
    for (const recovery of recoveryActions(task).filter((name) => name !== 'swap-again')) {
      items.push({
        label: recoveryLabel[recovery](),
        icon: Wrench,
        run: () => {
          applyRecovery(studio, task, recovery)
        },
      })
    }
    if (task.state === 'kept') {
      items.push(
        {
          label: m.save_as(),
          icon: Download,
          keys: shortcuts.swap['save-as'].keys[0],
          run: () => {
            studio.saveAs(task)
          },
        },
        {
          label: m.show_in_folder(),
          icon: Folder,
          keys: shortcuts.swap.reveal.keys[0],
          run: () => {
            studio.showInFolder(task)
          },
        },
      )
    }
    items.push({
      label: m.rename_more(),
      icon: Pencil,
      keys: shortcuts.swap.rename.keys[0],
      run: () => {
        studio.renaming = task
      },
    })
    items.push({
      label: m.remedy_swap_again(),
      icon: RefreshCw,
      run: () => {
        studio.swapAgain(task)
      },
    })
    if (task.pause === 'user' || task.pause === 'service') {
      items.push({
        label: task.pause === 'user' ? m.resume() : m.resume_service({ service: studio.serviceName(task.profileId) }),
        icon: Play,
        run: () => {
          studio.resume(task)
        },
      })
    } else if (canBePaused(task, studio.app.profile(task.profileId)?.embedded === true)) {
      items.push({
        label: m.pause(),
        icon: Pause,
        run: () => {
          studio.try(() => studio.bridge.tasks.pause({ taskIds: [task.id] }))
        },
      })
    }
  }
  if (!several) items.push(...orderItems(studio, task))
  if (active.length > 0) {
    items.push({
      label: m.cancel_many({ count: active.length }),
      icon: X,
      run: () => {
        studio.cancel(active)
      },
    })
  }
  items.push({
    label: m.remove_many({ count: targets.size }),
    icon: Trash,
    keys: 'delete',
    divided: items.length > 0,
    run: () => {
      studio.remove(targets)
    },
  })
  return items
}
