/** @file Menu of a swap in the queue. */
import Pause from '@lucide/svelte/icons/pause'
import Play from '@lucide/svelte/icons/play'
import StepForward from '@lucide/svelte/icons/step-forward'
import X from '@lucide/svelte/icons/x'
import { m } from '@shared/i18n/paraglide/messages.js'
import { embeddedProfileId, isActive } from '@shared/tasks/task-states.ts'
import type { TaskRow } from '@shared/tasks/task-row.ts'
import type { MenuItem } from '../../components/menu.ts'
import { isMovable } from '../../logic/library/queue.ts'
import { canBePaused } from '../../logic/library/task-view.ts'
import type { Studio } from '../../state/studio.svelte.ts'
import { orderItems } from '../library/task-menu.ts'

export function queueMenu(studio: Studio, task: TaskRow): MenuItem[] {
  const { id, profileId, state, pause } = task
  const isHere = profileId === embeddedProfileId
  const item = (label: string, icon: MenuItem['icon'], act: () => Promise<unknown>, note?: string): MenuItem => ({
    ...{ label, icon, note },
    run: () => studio.try(act),
  })
  const isNextWaiting = studio.tasks.active.some((other) => other.profileId === profileId && isMovable(other))
  return [
    {
      label: m.open(),
      icon: Play,
      keys: 'enter',
      run: () => studio.open(id),
    },
    ...orderItems(studio, task),
    ...(isHere && state === 'processing' && isNextWaiting
      ? [
          item(
            m.queue_skip(),
            StepForward,
            () => studio.bridge.tasks.move({ taskId: id, to: 'last' }),
            m.queue_skip_body(),
          ),
        ]
      : []),
    ...(pause === 'user' ? [item(m.resume(), Play, () => studio.bridge.tasks.resume({ taskIds: [id] }))] : []),
    ...(canBePaused(task, isHere) ? [item(m.pause(), Pause, () => studio.bridge.tasks.pause({ taskIds: [id] }))] : []),
    ...(isActive(state)
      ? [
          {
            label: m.cancel_many({ count: 1 }),
            icon: X,
            divided: true,
            run: () => studio.swaps.cancel([task]),
          },
        ]
      : []),
  ]
}
