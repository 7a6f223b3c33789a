/** @file What is written by several statements is there as a whole, or not at all; and what waits for the disk. */
import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it, describe } from 'vitest'
import { inTransaction, withRelaxedSync } from '../../../../../src/main/machine/disk/sqlite.ts'
import { ConsentStore } from '../../../../../src/main/media/consent-store.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { makeBoard } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

let db: DatabaseSync
let store: TaskStore
beforeEach(() => {
  db = tempLibrary()
  store = new TaskStore(db, () => undefined)
})

/** As a full disk does. */
const refuse = (change: string): void => {
  db.exec(`CREATE TRIGGER full BEFORE ${change} BEGIN SELECT RAISE(ABORT, 'a full disk'); END`)
}

it('joins an open transaction, which takes everything back', () => {
  db.exec('CREATE TABLE numbers (n)')
  const add = (n: number) => db.prepare('INSERT INTO numbers VALUES (?)').run(n)
  expect(() => {
    inTransaction(db, () => {
      inTransaction(db, () => add(1))
      throw new Error('a full disk')
    })
  }).toThrow('a full disk')
  inTransaction(db, () => add(2))
  expect(db.prepare('SELECT n FROM numbers').all()).toEqual([{ n: 2 }])
})

it('stores a change of a swap with its row in lists, or nothing of it', () => {
  store.put(makeTask({ title: 'Take 1' }))
  const board = makeBoard(store)
  refuse('UPDATE ON listed')
  expect(() => board.rename('task-1', 'Take 2')).toThrow('a full disk')
  expect([store.get('task-1')?.title, board.get('task-1')?.title]).toEqual(['Take 1', 'Take 1'])
  db.exec('DROP TRIGGER full')
  board.batch(() => board.rename('task-1', 'Take 3'))
  expect(store.get('task-1')?.title).toBe('Take 3')
})

it('keeps a service’s answer that could not be stored for the next change of its swap', () => {
  store.put(makeTask({ state: 'waiting', objectId: 'o' }))
  const board = makeBoard(store)
  store.putRecord('task-1', '{"status": "baked"}')
  expect(() => {
    board.batch(() => {
      board.rename('task-1', 'Take 2')
      throw new Error('a full disk')
    })
  }).toThrow('a full disk')
  // As with each poll.
  store.putRecord('task-1', '{"status": "baked"}')
  expect(store.record('task-1')).toBe('{"status": "baked"}')
  board.rename('task-1', 'Take 3')
  expect(new TaskStore(db, () => undefined).record('task-1')).toBe('{"status": "baked"}')
})

it('stores a consent with who gave it, or nothing of it', () => {
  const consents = new ConsentStore(db)
  refuse('UPDATE ON consents')
  expect(() => consents.give({ face: 'hash', name: 'mona.jpg' }, 1, { by: 'Mona' })).toThrow('a full disk')
  expect(consents.of('hash')).toBeNull()
})

const full = 2
const normal = 1

const how = (): unknown => db.prepare('PRAGMA synchronous').get()?.['synchronous']

describe('what would be learned again', () => {
  it('is written without a wait for the disk, and nothing after it is', () => {
    expect(how()).toBe(full)
    expect(withRelaxedSync(db, how)).toBe(normal)
    expect(how()).toBe(full)
  })

  it('leaves the wait to what comes after it also when it fails', () => {
    expect(() =>
      withRelaxedSync(db, () => {
        throw new Error('no room')
      }),
    ).toThrow('no room')
    expect(how()).toBe(full)
  })

  it('waits with the transaction that it is in', () => {
    expect(inTransaction(db, () => withRelaxedSync(db, how))).toBe(full)
    expect(how()).toBe(full)
  })
})
