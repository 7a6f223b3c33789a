import fc from 'fast-check'
import { expect, it } from 'vitest'
import { noProgress, shownProgress } from '@shared/tasks/estimated.ts'
import type { Task } from '@shared/tasks/task.ts'
import { heldProgress } from '../../../../../src/main/swaps/rules/held-progress.ts'
import { newEntry } from '../../../../../src/main/swaps/rules/outbox-entry.ts'
import type { Observation, TaskAction } from '../../../../../src/main/swaps/rules/transitions.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { makeBoard } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

const answer = (status: Observation['status'], progress: Observation['progress']): TaskAction => ({
  type: 'observed',
  observation: { status, statusWord: status, taskId: null, error: null, progress },
})
const frames = (done: number, more: Partial<Task['progress']> = {}) => ({
  ...noProgress,
  ...{ share: done / 1000, framesDone: done, framesTotal: 1000, savedMs: done * 40, etaMs: 9000 },
  ...more,
})

/** What may come from outside, in any order. `kill` opens the library again. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.nat(1000).map((done) => answer('processing', frames(done))) },
  fc.nat(1000).map((done) => answer('waiting', frames(done))),
  fc.constantFrom<TaskAction | 'kill' | 'again'>(
    answer('processing', null),
    answer('processing', { ...noProgress, framesDone: 0, savedMs: 400, isChecking: true }),
    answer('waiting', null),
    answer('succeeded', null),
    { type: 'pause', reason: 'user', jobCanPause: true },
    { type: 'pause', reason: 'no-network', jobCanPause: true },
    { type: 'resume' },
    { type: 'not-listed' },
    { type: 'disk-full', entry: newEntry('a', 1) },
    { type: 'job-resumed', objectId: 'o' },
    { type: 'cancel' },
    { type: 'fetch-failed', error: { code: 'internal', details: {} } },
    { type: 'interrupted' },
    'kill',
    'again',
  ),
  fc.nat(100).map((bytesDone): TaskAction => ({ type: 'fetch-progress', bytesDone, bytesTotal: 100 })),
)

it('never falls, whatever happens between', () => {
  const db = tempLibrary()
  const store = new TaskStore(db, () => undefined)
  const now = 1_000_000
  const shown = (task: Task | undefined): number => Math.floor(((task && shownProgress(task, now)?.share) ?? -1) * 100)
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), fc.boolean(), (actions, isEstimated) => {
      const expected = isEstimated ? { since: now - 300, ms: 1000, lowMs: 500, highMs: 2000 } : null
      store.put(makeTask({ id: 'a', state: 'processing', objectId: 'o', startedAt: 1, expected }))
      let board = makeBoard(store, now)
      let furthest = shown(board.get('a'))
      for (const action of actions) {
        if (action === 'kill') board = makeBoard(store, now)
        else if (action === 'again') board.dispatch('a', { type: 'retry', entry: newEntry('a', 1), jobCanResume: true })
        else board.dispatch('a', action)
        const task = board.get('a')
        expect(shown(task)).toBeGreaterThanOrEqual(furthest)
        furthest = Math.max(furthest, shown(task))
      }
    }),
    { numRuns: 50 },
  )
})

it('says that saved work is checked, and counts on once it is further', () => {
  const task = makeTask({ state: 'processing', progress: frames(770, { workFps: 30 }) })
  const checking = { ...noProgress, framesDone: 480, framesTotal: 1000, savedMs: 100, isChecking: true }
  const held = heldProgress(task, checking, 0)
  expect(held).toMatchObject({ share: 0.77, framesDone: 770, savedMs: 30_800, etaMs: null, isChecking: true })
  expect(heldProgress({ ...task, progress: held }, frames(800), 0)).toMatchObject({ share: 0.8, isChecking: false })
})
