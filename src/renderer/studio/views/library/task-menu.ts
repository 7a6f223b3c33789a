/** @file The context menu of a swap, of a set, or of the selected swaps; the menu of a swap in the queue. */
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
import StepForward from '@lucide/svelte/icons/step-forward'
import Tag from '@lucide/svelte/icons/tag'
import Trash from '@lucide/svelte/icons/trash'
import Trash2 from '@lucide/svelte/icons/trash-2'
import UnfoldVertical from '@lucide/svelte/icons/unfold-vertical'
import Wrench from '@lucide/svelte/icons/wrench'
import X from '@lucide/svelte/icons/x'
import type { ActionId } from '@shared/actions/actions.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { embeddedProfileId, isActive } from '@shared/tasks/task-states.ts'
import type { SetRow } from '@shared/tasks/library-view.ts'
import type { TaskRow } from '@shared/tasks/task-row.ts'
import type { MenuItem } from '../../components/menu.ts'
import { isMovable } from '../../logic/library/queue.ts'
import { canBePaused, recoveryActions, recoveryLabel } from '../../logic/library/task-view.ts'
import { applyRecovery } from '../../state/recovery.ts'
import type { Studio } from '../../state/studio.svelte.ts'
import { targetsOf } from '../../state/swap-actions.ts'

/** @param action its keys are shown beside the label */
export function item(
  studio: Studio,
  label: string,
  icon: MenuItem['icon'],
  run: () => void,
  action?: ActionId,
): MenuItem {
  return { label, icon, run, keys: action && studio.actions.keys(action)[0] }
}

/** Items that move a waiting swap within its service's queue. */
function orderItems(studio: Studio, { id, profileId }: TaskRow): MenuItem[] {
  const place = studio.tasks.place(id)
  if (place === null) return []
  const length = studio.tasks.active.filter((task) => task.profileId === profileId && isMovable(task)).length
  const move = (to: 'first' | 'up' | 'down' | 'last', label: string, icon: MenuItem['icon']): MenuItem =>
    item(studio, label, icon, () => studio.try(() => studio.bridge.tasks.move({ taskId: id, to })))
  return [
    ...(place > 0 ? [move('first', m.move_first(), ArrowUpToLine)] : []),
    ...(place > 1 ? [move('up', m.move_up(), ArrowUp)] : []),
    ...(place < length - 2 ? [move('down', m.move_down(), ArrowDown)] : []),
    ...(place < length - 1 ? [move('last', m.move_last(), ArrowDownToLine)] : []),
  ]
}

/** Items that copy the files of swaps, or where they are. */
export const fileItems = (studio: Studio, swaps: ReadonlySet<number>): MenuItem[] => [
  item(studio, m.copy_file({ count: swaps.size }), Copy, () => studio.swaps.copyFiles(swaps), 'swap.copy-files'),
  item(studio, m.copy_path({ count: swaps.size }), Link, () => studio.swaps.copyPaths(swaps), 'swap.copy-paths'),
]

export const trashItem = (studio: Studio, swaps: ReadonlySet<number>): MenuItem =>
  item(studio, m.move_to_trash_more(), Trash2, () => studio.ask('trash', swaps), 'swap.trash')

/** Menu for a swap, or for the whole selection if the swap is part of it. */
export function menuFor(studio: Studio, task: TaskRow): MenuItem[] {
  const { swaps } = studio
  const targets = targetsOf(studio, task)
  if (targets.size > 1) return manyItems(studio, targets, task.favourite)
  const items: MenuItem[] = [{ label: m.open(), icon: Play, keys: 'enter', run: () => studio.open(task.id) }]
  const add = (label: string, icon: MenuItem['icon'], run: () => void, action?: ActionId): void => {
    items.push(item(studio, label, icon, run, action))
  }
  for (const recovery of recoveryActions(task).filter((name) => name !== 'swap-again'))
    add(recoveryLabel[recovery](), Wrench, () => applyRecovery(studio, task, recovery))
  if (task.state === 'kept') {
    add(m.save_as(), Download, () => swaps.saveAs(task), 'swap.save-as')
    add(m.show_in_folder(), Folder, () => swaps.showInFolder(task), 'swap.reveal')
    add(m.open_in_player(), ExternalLink, () => swaps.openInPlayer(task), 'swap.open-in-player')
    add(m.check_credentials(), ShieldCheck, () => swaps.checkCredentials(task))
  }
  add(m.rename_more(), Pencil, () => (studio.renaming = task), 'swap.rename')
  add(m.remedy_swap_again(), RefreshCw, () => swaps.again(task))
  if (task.pause === 'user' || task.pause === 'service') {
    const service = studio.serviceName(task.profileId)
    add(task.pause === 'user' ? m.resume() : m.resume_service({ service }), Play, () => swaps.resume(task))
  } else if (canBePaused(task, studio.app.profile(task.profileId)?.embedded === true))
    add(m.pause(), Pause, () => studio.try(() => studio.bridge.tasks.pause({ taskIds: [task.id] })))
  items.push(
    ...labelItems(studio, targets, task.favourite),
    ...orderItems(studio, task),
    ...cancelItems(studio, isActive(task.state) ? [task] : []),
  )
  if (task.state === 'kept') items.push(...fileItems(studio, targets))
  return [...items, ...lastItems(studio, targets, task.state === 'kept')]
}

/** Menu for a set, or for the whole selection if its swaps are part of it. */
export function menuForSet(studio: Studio, number: number, { favourite }: SetRow): MenuItem[] {
  const { library } = studio
  const fold: MenuItem = {
    label: library.isOpen(number) ? m.set_fold() : m.set_open(),
    icon: library.isOpen(number) ? FoldVertical : UnfoldVertical,
    keys: 'enter',
    run: () => library.toggleSet(number),
  }
  return [fold, ...manyItems(studio, library.targets(number), favourite)]
}

const manyItems = (studio: Studio, targets: ReadonlySet<number>, favourite: boolean): MenuItem[] => [
  ...labelItems(studio, targets, favourite),
  ...cancelItems(
    studio,
    studio.tasks.active.filter(({ number }) => targets.has(number)),
  ),
  item(studio, m.save_copies(), Download, () => studio.swaps.withFiles('save', targets)),
  ...fileItems(studio, targets),
  ...lastItems(studio, targets, true),
]

function labelItems(studio: Studio, targets: ReadonlySet<number>, favourite: boolean): MenuItem[] {
  const { labels } = studio
  const label = favourite ? m.favourite_remove() : m.favourite_add()
  return [
    item(studio, m.tag_more(), Tag, () => (labels.tagging = targets), 'swap.tag'),
    item(studio, label, Star, () => labels.setFavourite(targets, !favourite), 'swap.favourite'),
  ]
}

const cancelItems = (studio: Studio, active: TaskRow[]): MenuItem[] =>
  active.length === 0
    ? []
    : [item(studio, m.cancel_many({ count: active.length }), X, () => studio.swaps.cancel(active))]

function lastItems(studio: Studio, targets: ReadonlySet<number>, hasFile: boolean): MenuItem[] {
  const label = m.remove_many({ count: targets.size })
  return [
    item(studio, m.another_face(), RefreshCw, () => studio.ask('face', targets)),
    { ...item(studio, label, Trash, () => studio.swaps.remove(targets), 'library.remove'), divided: true },
    ...(hasFile ? [trashItem(studio, targets)] : []),
  ]
}

/** Menu for a swap in the queue. */
export function queueMenu(studio: Studio, task: TaskRow): MenuItem[] {
  const { id, profileId, state, pause } = task
  const isHere = profileId === embeddedProfileId
  const { tasks } = studio.bridge
  const isNextWaiting = studio.tasks.active.some((other) => other.profileId === profileId && isMovable(other))
  const act = (label: string, icon: MenuItem['icon'], run: () => Promise<unknown>): MenuItem =>
    item(studio, label, icon, () => studio.try(run))
  const skip = act(m.queue_skip(), StepForward, () => tasks.move({ taskId: id, to: 'last' }))
  return [
    { ...item(studio, m.open(), Play, () => studio.open(id)), keys: 'enter' },
    ...orderItems(studio, task),
    ...(isHere && state === 'processing' && isNextWaiting ? [{ ...skip, note: m.queue_skip_body() }] : []),
    ...(pause === 'user' ? [act(m.resume(), Play, () => tasks.resume({ taskIds: [id] }))] : []),
    ...(canBePaused(task, isHere) ? [act(m.pause(), Pause, () => tasks.pause({ taskIds: [id] }))] : []),
    ...cancelItems(studio, isActive(state) ? [task] : []).map((each) => ({ ...each, divided: true })),
  ]
}
