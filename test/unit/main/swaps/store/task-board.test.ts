import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Task } from '@shared/tasks/task.ts'
import { newEntry } from '../../../../../src/main/swaps/rules/outbox-entry.ts'
import type { TaskBoard, TaskDelta } from '../../../../../src/main/swaps/store/task-board.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { noProgress } from '@shared/tasks/estimated.ts'
import type { Observation } from '../../../../../src/main/swaps/rules/transitions.ts'
import { makeBoard } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

let db: DatabaseSync
let store: TaskStore
const now = 1_000_000_000
beforeEach(() => {
  db = tempLibrary()
  store = new TaskStore(db, () => undefined)
})

const put = (id: string, change: Partial<Task>): void => {
  store.put(makeTask({ id, updatedAt: now, ...change }))
}
const logged: string[] = []
const open = (): TaskBoard => makeBoard(store, now, (message) => logged.push(message))
const writes = (): number => Number(db.prepare('SELECT total_changes() AS n').get()?.['n'])
const processing = (share: number): Observation => ({
  ...{ status: 'processing', statusWord: 'baking', taskId: null, error: null },
  progress: { ...noProgress, share },
})

describe('the board', () => {
  it('holds what something may happen to, and reads the rest when it is asked for', () => {
    const states = ['queued', 'processing', 'unconfirmed', 'missing', 'kept', 'failed', 'cancelled'] as const
    for (const state of states) put(state, { state })
    put('long missing', { state: 'missing', updatedAt: now - 25 * 3_600_000 })
    const board = open()
    const held = board.held.all().map(({ id }) => id)
    expect(held.toSorted()).toEqual(['missing', 'processing', 'queued', 'unconfirmed'])
    expect(states.map((id) => board.get(id)?.state)).toEqual(states)
    expect(board.get('long missing')?.state).toBe('missing')
    expect([board.held.get('kept'), board.get('nobody')]).toEqual([undefined, undefined])
  })

  it('takes a swap up again that was tried again, and lets go of one that ended', () => {
    put('a', { state: 'failed' })
    const board = open()
    const stored: unknown[] = []
    board.onDelta(() => stored.push(db.prepare('SELECT state FROM tasks').get()?.['state']))
    board.dispatch('a', { type: 'retry', entry: newEntry('a', 1), jobCanResume: false })
    expect([board.held.get('a')?.state, board.held.of('remote', 'queued').length]).toEqual(['queued', 1])
    board.dispatch('a', { type: 'cancel' })
    expect([board.held.get('a'), board.get('a')?.state]).toEqual([undefined, 'cancelled'])
    // On disk before it was told.
    expect(stored).toEqual(['queued', 'cancelled'])
  })

  it('knows nothing of a removed swap until it is restored', () => {
    put('a', { state: 'kept' })
    put('b', { state: 'missing' })
    const board = open()
    const deltas: TaskDelta[] = []
    board.onDelta((delta) => deltas.push(delta))
    board.remove(['a', 'b'])
    expect([board.get('a'), board.get('b'), board.held.all()]).toEqual([undefined, undefined, []])
    expect(deltas[0]?.removed).toEqual(['a', 'b'])
    expect(board.dispatch('a', { type: 'retry', entry: newEntry('a', 1), jobCanResume: false })).toBeUndefined()
    board.restore(['a', 'b'])
    expect([board.get('a')?.state, board.held.get('b')?.state]).toEqual(['kept', 'missing'])
    expect(deltas.map(({ seq }) => seq)).toEqual([1, 2])
  })

  it('has nothing of a batch that failed, in memory or on disk', () => {
    put('a', { state: 'failed' })
    put('b', { state: 'queued' })
    const board = open()
    expect(() => {
      board.batch(() => {
        board.dispatch('a', { type: 'retry', entry: newEntry('a', 1), jobCanResume: false })
        board.dispatch('b', { type: 'cancel' })
        throw new Error('a full disk')
      })
    }).toThrow('a full disk')
    expect([board.held.get('a'), board.get('a')?.state, board.held.get('b')?.state]).toEqual([
      undefined,
      'failed',
      'queued',
    ])
  })

  it('tells every listener of a change and runs its commands, also if one of them throws', () => {
    for (const id of ['a', 'b']) put(id, { state: 'processing', objectId: id, position: 1 })
    const board = open()
    const heard: string[] = []
    board.onDelta(() => {
      throw new Error('broken')
    })
    board.onDelta(({ changed }) => heard.push(...changed.map(({ id }) => id)))
    board.onCommand(({ id }, command) => {
      heard.push(`${command} ${id}`)
      if (id === 'a') throw new Error('broken')
    })
    logged.length = 0
    board.batch(() => {
      for (const id of ['a', 'b']) board.dispatch(id, { type: 'pause', reason: 'user', jobCanPause: true })
    })
    expect(heard).toEqual(['a', 'b', 'pause-job a', 'pause-job b'])
    expect(board.dispatch('a', { type: 'resume' })?.pause).toBeNull()
    expect(heard.slice(4)).toEqual(['a', 'resume-job a'])
    expect(logged).toHaveLength(4)
  })

  it('writes how far a swap is once for each percent, and no answer of a service that only says how far it is', () => {
    put('a', { state: 'waiting', objectId: 'o' })
    const board = open()
    store.putRecord('a', '{"first": 1}')
    board.dispatch('a', { type: 'observed', observation: processing(0.1) })
    expect([store.get('a')?.state, store.record('a')]).toEqual(['processing', '{"first": 1}'])
    board.dispatch('a', { type: 'observed', observation: processing(0.4) })
    expect(new TaskStore(db, () => undefined).get('a')?.progress?.share).toBe(0.4)
    const before = writes()
    for (const share of [0.402, 0.405, 0.409]) {
      store.putRecord('a', `{"share": ${String(share)}}`)
      board.dispatch('a', { type: 'observed', observation: processing(share) })
    }
    expect([writes() - before, board.get('a')?.progress?.share]).toEqual([0, 0.409])
    expect(store.record('a')).toBe('{"share": 0.409}')
    board.dispatch('a', { type: 'pause', reason: 'user', jobCanPause: true })
    // Asked of a store that has heard nothing itself.
    const stored = new TaskStore(db, () => undefined)
    expect([stored.get('a')?.progress?.share, stored.record('a')]).toEqual([0.409, '{"share": 0.409}'])
  })
})
