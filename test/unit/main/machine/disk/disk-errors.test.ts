import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { isDiskFull } from '../../../../../src/main/machine/disk/disk-errors.ts'
import { thrownBy } from '../../../../fixtures/thrown-by.ts'

it('knows a database that may not grow any more', () => {
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE notes (text); PRAGMA max_page_count = 3')
  expect(isDiskFull(thrownBy(() => db.prepare('INSERT INTO notes VALUES (?)').run('x'.repeat(100_000))))).toBe(true)
  expect(isDiskFull(thrownBy(() => db.exec('INSERT INTO nothing VALUES (1)')))).toBe(false)
  db.close()
})

it.each([
  ['ENOSPC', true],
  ['EDQUOT', true],
  ['EACCES', false],
])('takes %s for a full disk: %s', (code, full) => {
  expect(isDiskFull(Object.assign(new Error(code), { code }))).toBe(full)
})

it('takes nothing else for one', () => {
  for (const thrown of [null, 'ENOSPC', { code: 'ENOSPC' }, new Error('ENOSPC')]) expect(isDiskFull(thrown)).toBe(false)
})
