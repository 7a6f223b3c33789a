/**
 * @file Fills a library with copies of its only swap, which a service has had for twenty minutes:
 * `node main.mjs DATA-FOLDER COUNT PROFILE`.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { inTransaction } from '../../../src/main/machine/disk/sqlite.ts'
import { openLibrary } from '../../../src/main/swaps/store/library-db.ts'
import { TaskStore } from '../../../src/main/swaps/store/task-store.ts'

const [dir = '', count = '0', profileId = ''] = process.argv.slice(2)
const { db } = openLibrary(join(dir, 'library.db'), Date.now())
const store = new TaskStore(db, console.error)
const [pattern] = store.all()
if (!pattern) throw new Error('The library has no swap')
const at = Date.now() - 1_200_000
inTransaction(db, () => {
  db.exec('DELETE FROM outbox; DELETE FROM tasks')
  for (let n = 0; n < Number(count); n += 1)
    store.put({
      ...pattern,
      ...({ state: 'processing', pause: null, position: null, serviceStatus: 'processing' } as const),
      ...{ profileId, id: randomUUID(), objectId: randomUUID(), title: `Swap ${String(n)}` },
      ...{ createdAt: at + n, startedAt: at + n, updatedAt: at + n },
    })
})
db.close()
