import { embeddedProfileId, type Task, type TaskState } from '@shared/task.ts'

/** States in which a swap needs Mien, wherever it runs. */
const sending = new Set<TaskState>(['queued', 'uploading', 'submitting'])
/** States in which only a swap on this computer needs Mien. */
const atService = new Set<TaskState>(['waiting', 'processing'])

/** How many swaps a quit stops until the next start. What is paused, or runs at an online service, is not stopped. */
export const stoppedByQuit = (tasks: readonly Pick<Task, 'state' | 'pause' | 'profileId'>[]): number =>
  tasks.filter(
    ({ state, pause, profileId }) =>
      pause === null && (sending.has(state) || (profileId === embeddedProfileId && atService.has(state))),
  ).length
