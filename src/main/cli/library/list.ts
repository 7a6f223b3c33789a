/** @file `mien list`: swaps, oldest first, with what the user added to them. */
import type { DatabaseSync } from 'node:sqlite'
import { fold } from '@shared/fold.ts'
import { noLabels, type Labels } from '@shared/tasks/task-row.ts'
import type { Task } from '@shared/tasks/task.ts'
import { setTitles } from '../../swaps/store/folded-sets.ts'
import { hasLabels } from '../../swaps/store/library-db.ts'
import { find } from '../../swaps/store/library-query.ts'
import type { TaskStore } from '../../swaps/store/task-store.ts'
import type { CommandOf } from '../args/args.ts'

interface Listed {
  task: Task
  /** `set`: title of the set that it was added with. */
  added: Labels & { set: string | null }
}

/** Swaps with one of the tags, in one of the sets, and a favourite, as far as these are given. */
export function* listed(db: DatabaseSync, store: TaskStore, command: CommandOf<'list'>): Generator<Listed> {
  const isLabelled = hasLabels(db)
  const titles = isLabelled ? setTitles(db) : new Map<string, string>()
  for (const task of isLabelled ? chosen(db, store, command, titles) : unlabelled(store, command)) {
    const number = isLabelled ? store.numberOf(task.id) : null
    const labels = (number === null ? null : store.labels.of([number]).get(number)) ?? noLabels
    yield { task, added: { ...labels, set: titles.get(task.batch?.id ?? '') ?? null } }
  }
}

const isFiltered = ({ tags, favourite, sets }: CommandOf<'list'>): boolean =>
  favourite || tags.length > 0 || sets.length > 0

/** An older library has no labels, so that no filter finds anything. */
const unlabelled = (store: TaskStore, command: CommandOf<'list'>): Iterable<Task> =>
  isFiltered(command) ? [] : store.each()

function* chosen(
  db: DatabaseSync,
  store: TaskStore,
  command: CommandOf<'list'>,
  titles: ReadonlyMap<string, string>,
): Generator<Task> {
  if (!isFiltered(command)) {
    yield* store.each()
    return
  }
  const { tags, favourite, sets } = command
  const names = sets.map(fold)
  const batches = [...titles]
    .filter(([id, title]) => sets.includes(id) || names.includes(fold(title)))
    .map(([id]) => id)
  if (sets.length > 0 && batches.length === 0) return
  const { numbers } = find(
    db,
    { search: '', filter: 'all', sort: 'oldest', filters: { tags, favourite, batches } },
    new Map(),
  )
  const ids = db
    .prepare('SELECT task_id FROM json_each(?) JOIN listed ON number = value ORDER BY key')
    .all(`[${numbers}]`)
  for (const row of ids) {
    const task = store.get(String(row['task_id']))
    if (task) yield task
  }
}
