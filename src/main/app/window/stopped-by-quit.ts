import { embeddedProfileId, type Task, type TaskState } from '@shared/tasks/task.ts'

/** States in which any swap needs Mien. */
const sending = new Set<TaskState>(['queued', 'uploading', 'submitting'])
/** States in which only a swap on this computer needs Mien. */
const atService = new Set<TaskState>(['waiting', 'processing'])

/** Number of swaps that a quit stops until the next start. Paused swaps and jobs at remote services aren't stopped. */
export const stoppedByQuit = (tasks: readonly Pick<Task, 'state' | 'pause' | 'profileId'>[]): number =>
  tasks.filter(
    ({ state, pause, profileId }) =>
      pause === null && (sending.has(state) || (profileId === embeddedProfileId && atService.has(state))),
  ).length
