import { expect, it } from 'vitest'
import { embeddedProfileId, type PauseReason, type TaskState } from '@shared/tasks/task.ts'
import { stoppedByQuit } from '../../../src/main/window/stopped-by-quit.ts'

it.each<[string, TaskState, string, PauseReason | null, number]>([
  ['one that runs on this computer', 'processing', embeddedProfileId, null, 1],
  ['one that waits on this computer', 'waiting', embeddedProfileId, null, 1],
  ['one that is paused', 'processing', embeddedProfileId, 'user', 0],
  ['one that runs at an online service', 'processing', 'online', null, 0],
  ['one that is sent to an online service', 'uploading', 'online', null, 1],
  ['one that waits to be sent', 'queued', 'online', null, 1],
  ['one that is finished', 'kept', embeddedProfileId, null, 0],
  ['one that failed', 'failed', embeddedProfileId, null, 0],
])('%s', (_what, state, profileId, pause, count) => {
  expect(stoppedByQuit([{ state, profileId, pause }])).toBe(count)
})
