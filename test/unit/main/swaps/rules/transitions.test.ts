import { describe, expect, it } from 'vitest'
import { taskStates, type TaskState } from '@shared/tasks/task.ts'
import { noProgress } from '@shared/tasks/estimated.ts'
import { step, type TaskAction, type Observation } from '../../../../../src/main/swaps/rules/transitions.ts'
import { newEntry } from '../../../../../src/main/swaps/rules/outbox-entry.ts'
import { swap } from '../../../../fixtures/fake-tasks.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'

const observation = (status: Observation['status'], more: Partial<Observation> = {}): TaskAction => ({
  type: 'observed',
  observation: { status, statusWord: status, taskId: null, error: null, progress: null, ...more },
})
const { result } = swap('kept', 1)
if (!result) throw new Error('it is finished')
const kept: TaskAction = { type: 'kept', result, coverId: null, peopleIds: [] }
const entry = newEntry('task-1', 1)
const error = { code: 'service-timeout', details: {} } as const

const cancellable = ['queued', 'uploading', 'submitting', 'waiting', 'processing', 'succeeded', 'unconfirmed'] as const

/** For each action, the state it leads to from each state; a state that is not named is left as it is. */
const table: [string, TaskAction, Partial<Record<TaskState, TaskState>>][] = [
  ['upload progress', { type: 'upload-progress', bytesDone: 1, bytesTotal: 2 }, { queued: 'uploading' }],
  [
    'sending',
    { type: 'sending', addresses: { imageUrl: 'i', pictureUrls: [], videoUrl: 'v' } },
    { queued: 'submitting', uploading: 'submitting' },
  ],
  ['created', { type: 'created', objectId: 'o', jobCanPause: false }, { submitting: 'waiting', queued: 'waiting' }],
  [
    'not sent',
    { type: 'not-sent', pause: null, notBefore: 0, attempts: 1, sentAt: null },
    { submitting: 'queued', uploading: 'queued' },
  ],
  ['unclear', { type: 'unclear', error, askAgainAt: null }, { submitting: 'unconfirmed', queued: 'unconfirmed' }],
  ['unclear, asked again', { type: 'unclear', error, askAgainAt: 5 }, { submitting: 'queued' }],
  ['refused', { type: 'refused', error }, { queued: 'failed', uploading: 'failed', submitting: 'failed' }],
  [
    'forbidden',
    { type: 'forbidden', error },
    { queued: 'failed', uploading: 'failed', waiting: 'failed', missing: 'failed' },
  ],
  ['seen waiting', observation('waiting'), { missing: 'waiting' }],
  ['seen processing', observation('processing'), { waiting: 'processing', missing: 'processing' }],
  ['seen succeeded', observation('succeeded'), { waiting: 'succeeded', processing: 'succeeded', missing: 'succeeded' }],
  ['seen failed', observation('failed'), { waiting: 'failed', processing: 'failed', missing: 'failed' }],
  ['seen cancelled', observation('cancelled'), { waiting: 'cancelled', processing: 'cancelled', missing: 'cancelled' }],
  ['a word nobody knows', observation('unknown'), { missing: 'waiting' }],
  ['not listed', { type: 'not-listed' }, { waiting: 'missing', processing: 'missing' }],
  ['fetch failed', { type: 'fetch-failed', error }, {}],
  ['kept', kept, { succeeded: 'kept' }],
  ['cancel', { type: 'cancel' }, Object.fromEntries(cancellable.map((state) => [state, 'cancelled']))],
  ['pause', { type: 'pause', reason: 'user', jobCanPause: true }, {}],
  ['resume', { type: 'resume' }, {}],
  [
    'retry',
    { type: 'retry', entry, jobCanResume: false },
    { failed: 'queued', cancelled: 'queued', missing: 'queued' },
  ],
  ['send again', { type: 'send-again', entry }, { unconfirmed: 'queued' }],
  ['give an id', { type: 'give-id', objectId: 'o' }, { unconfirmed: 'waiting' }],
  ['placing a version', { type: 'version-placing', number: 1, made: null }, {}],
  ['version placed', { type: 'version-placed' }, {}],
  ['version not placed', { type: 'version-not-placed' }, {}],
  ['interrupted', { type: 'interrupted' }, { uploading: 'queued', submitting: 'queued' }],
]

describe.each(table)('%s', (_name, action, moves) => {
  it.each(taskStates)('from %s', (state) => {
    const after = step(makeTask({ state }), action, 2000)
    expect(after.state).toBe(moves[state] ?? state)
  })
})

describe('step', () => {
  it('gives back the very same object when nothing changed', () => {
    const task = makeTask({ state: 'kept' })
    expect(step(task, observation('failed'), 2000)).toBe(task)
  })

  it('keeps the first start and the service’s own words', () => {
    const first = step(
      makeTask({ state: 'waiting' }),
      observation('processing', { statusWord: 'Running', taskId: '18446744073709551615' }),
      2000,
    )
    expect(first).toMatchObject({ startedAt: 2000, serviceStatus: 'Running', serviceTaskId: '18446744073709551615' })
    const later = step(first, observation('processing', { progress: { ...noProgress, share: 0.5 } }), 3000)
    expect(later).toMatchObject({ startedAt: 2000, progress: { share: 0.5 } })
  })

  it('an answer ends a pause for the network, but not the user’s own', () => {
    const held = makeTask({ state: 'processing', pause: 'no-network' })
    expect(step(held, observation('processing'), 2000).pause).toBeNull()
    expect(step({ ...held, pause: 'user' }, observation('processing'), 2000).pause).toBe('user')
  })

  it('a pause keeps the state under it', () => {
    const paused = step(makeTask({ state: 'waiting' }), { type: 'pause', reason: 'key', jobCanPause: false }, 2000)
    expect(paused).toMatchObject({ state: 'waiting', pause: 'key' })
    expect(step(paused, { type: 'resume' }, 3000)).toMatchObject({ state: 'waiting', pause: null })
  })

  it('a retry forgets the service’s record, so that nothing old is watched', () => {
    const failed = makeTask({ state: 'failed', objectId: 'old', error, endedAt: 5, startedAt: 4 })
    expect(step(failed, { type: 'retry', entry, jobCanResume: false }, 2000)).toMatchObject({
      objectId: null,
      error: null,
      endedAt: null,
      startedAt: null,
    })
  })

  it('keeps a bounded number of lines of what happened', () => {
    let task = makeTask({ state: 'waiting' })
    for (let i = 0; i < 200; i += 1) {
      task = step(task, i % 2 ? { type: 'resume' } : { type: 'pause', reason: 'key', jobCanPause: false }, i)
    }
    expect(task.events.length).toBe(60)
    expect(task.events.at(-1)?.at).toBe(199)
  })
})
