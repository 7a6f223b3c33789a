import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withRelaxedSync } from '../../../../../src/main/machine/disk/relaxed-sync.ts'
import { inTransaction } from '../../../../../src/main/machine/disk/in-transaction.ts'
import { openLibrary } from '../../../../../src/main/swaps/store/library-db.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

const full = 2
const normal = 1

let dir: string
let db: DatabaseSync
const how = (): unknown => db.prepare('PRAGMA synchronous').get()?.['synchronous']

beforeEach(() => {
  dir = tempDir()
  db = openLibrary(join(dir, 'library.db'), 0).db
})
afterEach(() => db.close())

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
