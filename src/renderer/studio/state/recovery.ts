/** @file Runs the recovery action that the user chose for a swap that needs attention. */
import type { TaskSummary } from '@shared/tasks/task-row.ts'
import type { RecoveryAction } from '../logic/library/task-view.ts'
import type { Studio } from './studio.svelte.ts'

export function applyRecovery(studio: Studio, task: TaskSummary, recovery: RecoveryAction): void {
  switch (recovery) {
    case 'decide':
      studio.deciding = task.id
      break
    case 'other-video':
      studio.swaps.again(task, 'video')
      break
    case 'other-face':
      studio.swaps.again(task, 'face')
      break
    case 'try-again':
      if (task.state === 'failed' || task.state === 'cancelled') studio.swaps.retry(task)
      else studio.swaps.resume(task)
      break
    case 'swap-again':
      studio.swaps.again(task)
      break
    case 'look-again':
      studio.try(() => studio.bridge.tasks.resume({ taskIds: [task.id] }))
      break
    case 'replace-key':
    case 'enter-key':
      studio.settings(task.profileId)
      break
    case 'settings':
      if (task.error?.code.startsWith('folder-') === true) studio.routes.go({ view: 'settings', section: 'results' })
      else studio.settings(task.profileId)
  }
}
