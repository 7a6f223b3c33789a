import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { withRelaxedSync } from '../../../../../src/main/machine/disk/relaxed-sync.ts'
import { inTransaction } from '../../../../../src/main/machine/disk/in-transaction.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

const full = 2
const normal = 1

let db: DatabaseSync
const how = (): unknown => db.prepare('PRAGMA synchronous').get()?.['synchronous']

beforeEach(() => {
  db = tempLibrary()
})

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
