import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { migrate, type Versions } from '../../../../../src/main/machine/disk/migrate.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const inDir = tempPaths()
let path: string
beforeEach(() => {
  path = inDir('a.db')
})

const first = 'CREATE TABLE swaps (id TEXT PRIMARY KEY) STRICT'
const second = "ALTER TABLE swaps ADD COLUMN title TEXT NOT NULL DEFAULT 'Untitled'"
const versions = (...migrations: string[]): Versions => ({ data: 'library', migrations })

function at(count: number, ...migrations: string[]): void {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL')
  migrate(db, path, versions(...migrations.slice(0, count)))
  if (count === 1) db.exec("INSERT INTO swaps VALUES ('one'), ('two')")
  db.close()
}

describe('a database', () => {
  it('is brought to the newest version, and a copy from before stays beside it', () => {
    at(1, first)
    at(2, first, second)
    const db = new DatabaseSync(path)
    expect(db.prepare('SELECT id, title FROM swaps ORDER BY id').all()).toMatchObject([
      { id: 'one', title: 'Untitled' },
      { id: 'two', title: 'Untitled' },
    ])
    db.close()
    const copy = new DatabaseSync(`${path}.v1-backup`)
    expect(copy.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 })
    expect(copy.prepare('SELECT * FROM swaps').all()).toMatchObject([{ id: 'one' }, { id: 'two' }])
    copy.close()
  })

  it('is not copied when it is new or of this version', () => {
    at(2, first, second)
    at(2, first, second)
    expect(existsSync(`${path}.v1-backup`)).toBe(false)
  })

  it('stays as it was when a step fails in its middle', () => {
    at(1, first)
    expect(() => at(2, first, `${second}; INSERT INTO nowhere VALUES (1)`)).toThrow('nowhere')
    const db = new DatabaseSync(path)
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 })
    expect(db.prepare('SELECT * FROM swaps').all()).toEqual([{ id: 'one' }, { id: 'two' }])
    db.close()
    at(2, first, second)
  })

  it('of a newer Mien is refused, byte for byte as it was', () => {
    at(1, first)
    at(2, first, second)
    const before = inDir('before.db')
    copyFileSync(path, before)
    expect(() => at(1, first)).toThrow('data-newer')
    expect(readFileSync(path)).toEqual(readFileSync(before))
  })
})
