import { describe, expect, it } from 'vitest'
import type { Task } from '@shared/tasks/task.ts'
import { transition, type Swap } from '../../../../../src/main/swaps/rules/links.ts'
import { newEntry } from '../../../../../src/main/swaps/rules/outbox-entry.ts'
import type { TaskAction } from '../../../../../src/main/swaps/rules/transitions.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'

const entry = { ...newEntry('task-1', 1), idempotencyKey: 'first' }
const sentEntry = { ...entry, sentAt: 5 }
const fresh = { ...newEntry('task-1', 2), idempotencyKey: 'second' }
const swap = (task: Partial<Task>, of: Swap['entry'] = null): Swap => ({ task: makeTask(task), entry: of })
const after = (before: Swap, action: TaskAction) => transition(before, action, 2000)
const retry = (jobCanResume: boolean): TaskAction => ({ type: 'retry', entry: fresh, jobCanResume })
const created: TaskAction = { type: 'created', objectId: 'new', jobCanPause: true }
const unclear = (askAgainAt: number | null): TaskAction => ({
  type: 'unclear',
  error: { code: 'service-timeout', details: {} },
  askAgainAt,
})

/** Whatever ends a swap here while a create is unanswered. */
const error = { code: 'request-refused', details: {} } as const
const ends: TaskAction[] = [
  { type: 'cancel' },
  { type: 'forbidden', error },
  { type: 'refused', error, isUnanswered: true },
]

describe('the outbox entry', () => {
  it('waits for the answer to a create that left before its swap was cancelled', () => {
    const cancelled = after(swap({ state: 'submitting' }, sentEntry), { type: 'cancel' })
    expect(cancelled).toMatchObject({ task: { state: 'cancelled' }, entry: sentEntry, unneeded: null })
    const answered = after(cancelled, created)
    expect(answered).toMatchObject({ entry: null, unneeded: { objectId: 'new', endBy: 'delete' } })
    expect(answered.task.objectId).toBeNull()
  })

  it('is not replaced by a new one while a create is not answered, so that one job is made', () => {
    const cancelled = after(swap({ state: 'submitting' }, sentEntry), { type: 'cancel' })
    const again = after(cancelled, retry(false))
    expect(again).toMatchObject({ task: { state: 'queued' }, entry: { idempotencyKey: 'first', sentAt: 5 } })
    const answered = { task: { state: 'waiting', objectId: 'new' }, entry: null, unneeded: null }
    expect(after(again, created)).toMatchObject(answered)
  })

  it('is new for a retry of a swap that no create is open for', () => {
    expect(after(swap({ state: 'failed' }), retry(false)).entry).toEqual(fresh)
  })

  it('keeps what an earlier create may have made, also when the next one cannot leave', () => {
    const queued = after(swap({ state: 'submitting' }, sentEntry), unclear(9000))
    expect(queued).toMatchObject({ task: { state: 'queued' }, entry: { sentAt: 5, notBefore: 9000 } })
    const again: TaskAction = { type: 'not-sent', pause: null, notBefore: 9500, attempts: 2, sentAt: 5 }
    expect(after(queued, again).entry).toMatchObject({ sentAt: 5, notBefore: 9500 })
    for (const action of ends) expect(after(queued, action)).toMatchObject({ entry: { sentAt: 5 } })
  })

  it.each<[string, TaskAction]>([
    ['cancelled', { type: 'cancel' }],
    ['forbidden', { type: 'forbidden', error }],
    ['refused', { type: 'refused', error }],
  ])('goes with a swap that is %s before anything was sent', (_how, action) => {
    expect(after(swap({ state: 'queued' }, entry), action).entry).toBeNull()
  })
})

describe('the job at the service', () => {
  const running = swap({ state: 'processing', objectId: 'old' })
  const deleted = { objectId: 'old', endBy: 'delete' }

  it.each<[string, Swap, TaskAction, unknown]>([
    ['cancelled', running, { type: 'cancel' }, { objectId: 'old', endBy: 'cancel' }],
    ['sent anew', swap({ state: 'failed', objectId: 'old' }), retry(false), deleted],
    ['sent anew here', swap({ state: 'failed', objectId: 'old' }), retry(true), null],
    ['not to be resumed', swap({ state: 'queued', objectId: 'old' }, entry), { type: 'job-gone' }, deleted],
    ['seen failed', running, { type: 'not-listed' }, null],
  ])('of a swap that is %s', (_what, before, action, unneeded) => {
    expect(after(before, action).unneeded).toEqual(unneeded)
  })

  it('is needed again when its cancelled swap is resumed', () => {
    const cancelled = after(running, { type: 'cancel' })
    const resumed = { neededAgain: 'old', task: { objectId: 'old', state: 'queued' } }
    expect(after(cancelled, retry(true))).toMatchObject(resumed)
  })

  it.each(['cancelled', 'failed'] as const)(
    'is cancelled once more when it was resumed for a swap that is %s meanwhile',
    (state) => {
      const resumed: TaskAction = { type: 'job-resumed', objectId: 'old' }
      const unneeded = { objectId: 'old', endBy: 'cancel' }
      expect(after(swap({ state, objectId: 'old' }), resumed)).toMatchObject({ task: { state }, unneeded })
    },
  )
})

const pause = (jobCanPause: boolean): TaskAction => ({ type: 'pause', reason: 'user', jobCanPause })

it.each<[string, Swap, TaskAction, string[]]>([
  ['a pause of what is uploading', swap({ state: 'uploading' }, entry), pause(false), ['stop-sending']],
  ['a pause of a job that can be paused', swap({ state: 'processing', objectId: 'o' }), pause(true), ['pause-job']],
  ['a pause of a job that cannot', swap({ state: 'processing', objectId: 'o' }), pause(false), []],
  ['a resume', swap({ state: 'processing', objectId: 'o', pause: 'user' }), { type: 'resume' }, ['resume-job']],
  ['a resume of what waits for a network', swap({ state: 'waiting', pause: 'no-network' }), { type: 'resume' }, []],
  ['a resume of what is missing', swap({ state: 'missing' }), { type: 'resume' }, ['look-again']],
  ['a cancel', swap({ state: 'succeeded', objectId: 'o' }), { type: 'cancel' }, ['stop-sending', 'stop-download']],
  ['a cancel of what has ended', swap({ state: 'kept', objectId: 'o' }), { type: 'cancel' }, []],
])('commands follow from %s', (_what, before, action, commands) =>
  expect(after(before, action).commands).toEqual(commands),
)
