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
const watched = ['waiting', 'processing', 'missing'] as const
const addresses = { imageUrl: 'i', pictureUrls: [], videoUrl: 'v' }
const notSent: TaskAction = { type: 'not-sent', pause: null, notBefore: 0, attempts: 1, sentAt: null }
const retry: TaskAction = { type: 'retry', entry, jobCanResume: false }

/** For each action, from which states it leads to which one; all others are left as they are. */
const table: [string, TaskAction, from: readonly TaskState[], to?: TaskState][] = [
  ['upload progress', { type: 'upload-progress', bytesDone: 1, bytesTotal: 2 }, ['queued'], 'uploading'],
  ['sending', { type: 'sending', addresses }, ['queued', 'uploading'], 'submitting'],
  ['created', { type: 'created', objectId: 'o', jobCanPause: false }, ['submitting', 'queued'], 'waiting'],
  ['not sent', notSent, ['submitting', 'uploading'], 'queued'],
  ['unclear', { type: 'unclear', error, askAgainAt: null }, ['submitting', 'queued'], 'unconfirmed'],
  ['unclear, asked again', { type: 'unclear', error, askAgainAt: 5 }, ['submitting'], 'queued'],
  ['refused', { type: 'refused', error }, ['queued', 'uploading', 'submitting'], 'failed'],
  ['forbidden', { type: 'forbidden', error }, ['queued', 'uploading', 'waiting', 'missing'], 'failed'],
  ['seen waiting', observation('waiting'), ['missing'], 'waiting'],
  ['seen processing', observation('processing'), ['waiting', 'missing'], 'processing'],
  ['seen succeeded', observation('succeeded'), watched, 'succeeded'],
  ['seen failed', observation('failed'), watched, 'failed'],
  ['seen cancelled', observation('cancelled'), watched, 'cancelled'],
  ['a word nobody knows', observation('unknown'), ['missing'], 'waiting'],
  ['not listed', { type: 'not-listed' }, ['waiting', 'processing'], 'missing'],
  ['fetch failed', { type: 'fetch-failed', error }, []],
  ['kept', kept, ['succeeded'], 'kept'],
  ['cancel', { type: 'cancel' }, cancellable, 'cancelled'],
  ['pause', { type: 'pause', reason: 'user', jobCanPause: true }, []],
  ['resume', { type: 'resume' }, []],
  ['retry', retry, ['failed', 'cancelled', 'missing'], 'queued'],
  ['send again', { type: 'send-again', entry }, ['unconfirmed'], 'queued'],
  ['give an id', { type: 'give-id', objectId: 'o' }, ['unconfirmed'], 'waiting'],
  ['placing a version', { type: 'version-placing', number: 1, made: null }, []],
  ['version placed', { type: 'version-placed' }, []],
  ['version not placed', { type: 'version-not-placed' }, []],
  ['interrupted', { type: 'interrupted' }, ['uploading', 'submitting'], 'queued'],
]

describe.each(table)('%s', (_name, action, from, to) => {
  it.each(taskStates)('from %s', (state) => {
    const after = step(makeTask({ state }), action, 2000)
    expect(after.state).toBe(from.includes(state) ? to : state)
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
    const forgotten = { objectId: null, error: null, endedAt: null, startedAt: null }
    expect(step(failed, retry, 2000)).toMatchObject(forgotten)
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
