/** @file The context menu of a swap, of a set, or of the selected swaps. */
import ArrowDown from '@lucide/svelte/icons/arrow-down'
import ArrowDownToLine from '@lucide/svelte/icons/arrow-down-to-line'
import ArrowUp from '@lucide/svelte/icons/arrow-up'
import ArrowUpToLine from '@lucide/svelte/icons/arrow-up-to-line'
import Copy from '@lucide/svelte/icons/copy'
import Download from '@lucide/svelte/icons/download'
import ExternalLink from '@lucide/svelte/icons/external-link'
import Folder from '@lucide/svelte/icons/folder'
import FoldVertical from '@lucide/svelte/icons/fold-vertical'
import Link from '@lucide/svelte/icons/link'
import Pencil from '@lucide/svelte/icons/pencil'
import Pause from '@lucide/svelte/icons/pause'
import Play from '@lucide/svelte/icons/play'
import RefreshCw from '@lucide/svelte/icons/refresh-cw'
import ShieldCheck from '@lucide/svelte/icons/shield-check'
import Star from '@lucide/svelte/icons/star'
import Tag from '@lucide/svelte/icons/tag'
import Trash from '@lucide/svelte/icons/trash'
import Trash2 from '@lucide/svelte/icons/trash-2'
import UnfoldVertical from '@lucide/svelte/icons/unfold-vertical'
import Wrench from '@lucide/svelte/icons/wrench'
import X from '@lucide/svelte/icons/x'
import { m } from '@shared/i18n/paraglide/messages.js'
import { isActive } from '@shared/tasks/task-states.ts'
import type { SetRow } from '@shared/tasks/library-view.ts'
import type { TaskRow } from '@shared/tasks/task-row.ts'
import type { MenuItem } from '../../components/menu.ts'
import { isMovable } from '../../logic/library/queue.ts'
import { canBePaused, recoveryActions, recoveryLabel } from '../../logic/library/task-view.ts'
import { applyRecovery } from '../../state/recovery.ts'
import type { Studio } from '../../state/studio.svelte.ts'
import { targetsOf } from '../../state/swap-actions.ts'

/** Items that move a waiting swap within its service's queue. */
export function orderItems(studio: Studio, { id, profileId }: TaskRow): MenuItem[] {
  const place = studio.tasks.place(id)
  if (place === null) return []
  const length = studio.tasks.active.filter((task) => task.profileId === profileId && isMovable(task)).length
  const item = (to: 'first' | 'up' | 'down' | 'last', label: string, icon: MenuItem['icon']): MenuItem => ({
    ...{ label, icon },
    run: () => studio.try(() => studio.bridge.tasks.move({ taskId: id, to })),
  })
  return [
    ...(place > 0 ? [item('first', m.move_first(), ArrowUpToLine)] : []),
    ...(place > 1 ? [item('up', m.move_up(), ArrowUp)] : []),
    ...(place < length - 2 ? [item('down', m.move_down(), ArrowDown)] : []),
    ...(place < length - 1 ? [item('last', m.move_last(), ArrowDownToLine)] : []),
  ]
}

/** Items that copy the files of swaps, or where they are. */
export const fileItems = (studio: Studio, swaps: ReadonlySet<number>): MenuItem[] => [
  {
    label: m.copy_file({ count: swaps.size }),
    icon: Copy,
    keys: studio.actions.keys('swap.copy-files')[0],
    run: () => studio.swaps.copyFiles(swaps),
  },
  {
    label: m.copy_path({ count: swaps.size }),
    icon: Link,
    keys: studio.actions.keys('swap.copy-paths')[0],
    run: () => studio.swaps.copyPaths(swaps),
  },
]

export const trashItem = (studio: Studio, swaps: ReadonlySet<number>): MenuItem => ({
  label: m.move_to_trash_more(),
  icon: Trash2,
  keys: studio.actions.keys('swap.trash')[0],
  run: () => studio.ask('trash', swaps),
})

/** Menu for a swap, or for the whole selection if the swap is part of it. */
export function menuFor(studio: Studio, task: TaskRow): MenuItem[] {
  const targets = targetsOf(studio, task)
  if (targets.size > 1) return manyItems(studio, targets, task.favourite)
  const items: MenuItem[] = [
    {
      label: m.open(),
      icon: Play,
      keys: 'enter',
      run: () => studio.open(task.id),
    },
  ]
  for (const recovery of recoveryActions(task).filter((name) => name !== 'swap-again')) {
    items.push({
      label: recoveryLabel[recovery](),
      icon: Wrench,
      run: () => applyRecovery(studio, task, recovery),
    })
  }
  if (task.state === 'kept') {
    items.push(
      {
        label: m.save_as(),
        icon: Download,
        keys: studio.actions.keys('swap.save-as')[0],
        run: () => studio.swaps.saveAs(task),
      },
      {
        label: m.show_in_folder(),
        icon: Folder,
        keys: studio.actions.keys('swap.reveal')[0],
        run: () => studio.swaps.showInFolder(task),
      },
      {
        label: m.open_in_player(),
        icon: ExternalLink,
        keys: studio.actions.keys('swap.open-in-player')[0],
        run: () => studio.swaps.openInPlayer(task),
      },
      {
        label: m.check_credentials(),
        icon: ShieldCheck,
        run: () => studio.swaps.checkCredentials(task),
      },
    )
  }
  items.push({
    label: m.rename_more(),
    icon: Pencil,
    keys: studio.actions.keys('swap.rename')[0],
    run: () => {
      studio.renaming = task
    },
  })
  items.push({
    label: m.remedy_swap_again(),
    icon: RefreshCw,
    run: () => studio.swaps.again(task),
  })
  if (task.pause === 'user' || task.pause === 'service') {
    items.push({
      label: task.pause === 'user' ? m.resume() : m.resume_service({ service: studio.serviceName(task.profileId) }),
      icon: Play,
      run: () => studio.swaps.resume(task),
    })
  } else if (canBePaused(task, studio.app.profile(task.profileId)?.embedded === true)) {
    items.push({
      label: m.pause(),
      icon: Pause,
      run: () => studio.try(() => studio.bridge.tasks.pause({ taskIds: [task.id] })),
    })
  }
  items.push(
    ...labelItems(studio, targets, task.favourite),
    ...orderItems(studio, task),
    ...cancelItems(studio, isActive(task.state) ? [task] : []),
  )
  if (task.state === 'kept') items.push(...fileItems(studio, targets))
  return [...items, ...lastItems(studio, targets, task.state === 'kept')]
}

/** Menu for a set, or for the whole selection if its swaps are part of it. */
export function menuForSet(studio: Studio, item: number, { favourite }: SetRow): MenuItem[] {
  const { library } = studio
  const fold: MenuItem = {
    label: library.isOpen(item) ? m.set_fold() : m.set_open(),
    icon: library.isOpen(item) ? FoldVertical : UnfoldVertical,
    keys: 'enter',
    run: () => library.toggleSet(item),
  }
  return [fold, ...manyItems(studio, library.targets(item), favourite)]
}

const manyItems = (studio: Studio, targets: ReadonlySet<number>, favourite: boolean): MenuItem[] => [
  ...labelItems(studio, targets, favourite),
  ...cancelItems(
    studio,
    studio.tasks.active.filter(({ number }) => targets.has(number)),
  ),
  {
    label: m.save_copies(),
    icon: Download,
    run: () => studio.swaps.withFiles('save', targets),
  },
  ...fileItems(studio, targets),
  ...lastItems(studio, targets, true),
]

const labelItems = (studio: Studio, targets: ReadonlySet<number>, favourite: boolean): MenuItem[] => [
  {
    label: m.tag_more(),
    icon: Tag,
    keys: studio.actions.keys('swap.tag')[0],
    run: () => {
      studio.labels.tagging = targets
    },
  },
  {
    label: favourite ? m.favourite_remove() : m.favourite_add(),
    icon: Star,
    keys: studio.actions.keys('swap.favourite')[0],
    run: () => studio.labels.setFavourite(targets, !favourite),
  },
]

const cancelItems = (studio: Studio, active: TaskRow[]): MenuItem[] =>
  active.length === 0
    ? []
    : [
        {
          label: m.cancel_many({ count: active.length }),
          icon: X,
          run: () => studio.swaps.cancel(active),
        },
      ]

const lastItems = (studio: Studio, targets: ReadonlySet<number>, hasFile: boolean): MenuItem[] => [
  {
    label: m.another_face(),
    icon: RefreshCw,
    run: () => studio.ask('face', targets),
  },
  {
    label: m.remove_many({ count: targets.size }),
    icon: Trash,
    keys: studio.actions.keys('library.remove')[0],
    divided: true,
    run: () => studio.swaps.remove(targets),
  },
  ...(hasFile ? [trashItem(studio, targets)] : []),
]
