/** @file Menu of a swap in the queue. */
import Pause from '@lucide/svelte/icons/pause'
import Play from '@lucide/svelte/icons/play'
import StepForward from '@lucide/svelte/icons/step-forward'
import { m } from '@shared/i18n/paraglide/messages.js'
import { embeddedProfileId, isActive } from '@shared/tasks/task-states.ts'
import type { TaskRow } from '@shared/tasks/task-row.ts'
import type { MenuItem } from '../../components/menu.ts'
import { isMovable } from '../../logic/library/queue.ts'
import { canBePaused } from '../../logic/library/task-view.ts'
import type { Studio } from '../../state/studio.svelte.ts'
import { cancelItems, item, orderItems } from '../library/task-menu.ts'

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
