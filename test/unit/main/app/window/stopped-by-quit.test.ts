import { expect, it, vi } from 'vitest'
import { embeddedProfileId, taskStates, type PauseReason, type TaskState } from '@shared/tasks/task.ts'
import { TaskBoard } from '../../../../../src/main/swaps/store/task-board.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { stoppedByQuit } from '../../../../../src/main/app/window/stopped-by-quit.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

it.each<[string, TaskState, string, PauseReason | null, number]>([
  ['one that runs on this computer', 'processing', embeddedProfileId, null, 1],
  ['one that waits on this computer', 'waiting', embeddedProfileId, null, 1],
  ['one that is paused', 'processing', embeddedProfileId, 'user', 0],
  ['one that runs at an online service', 'processing', 'online', null, 0],
  ['one that is sent to an online service', 'uploading', 'online', null, 1],
  ['one that waits to be sent', 'queued', 'online', null, 1],
  ['one that is finished', 'kept', embeddedProfileId, null, 0],
  ['one that failed', 'failed', embeddedProfileId, null, 0],
])('%s', (_what, state, profileId, pause, count) => expect(stoppedByQuit([{ state, profileId, pause }])).toBe(count))

it('is counted without the library: all that counts is in memory', () => {
  const db = tempLibrary()
  const store = new TaskStore(db, () => undefined)
  for (const state of taskStates)
    for (const profileId of [embeddedProfileId, 'online'])
      store.put(makeTask({ id: `${state} ${profileId}`, state, profileId, updatedAt: Date.now() }))
  const board = new TaskBoard(store, Date.now, () => undefined)
  const all = store.all()
  const parsed = vi.spyOn(store, 'parse')
  expect(stoppedByQuit(board.all())).toBe(stoppedByQuit(all))
  expect(stoppedByQuit(all)).toBe(8)
  expect(parsed).not.toHaveBeenCalled()
})
