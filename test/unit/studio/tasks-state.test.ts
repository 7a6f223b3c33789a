import { describe, expect, it, vi } from 'vitest'
import { noLabels, rowOf, type TaskChanges, type TasksText } from '@shared/tasks/task-row.ts'
import type { Task } from '@shared/tasks/task.ts'
import { TasksState } from '../../../src/renderer/studio/state/library/tasks.svelte.ts'
import { swap } from '../../fixtures/fake-tasks.ts'

const numbers = ['a', 'b', 'c', 'd']
const row = (task: Task) => rowOf(task, numbers.indexOf(task.id) + 1)
const working = (id: string, createdAt: number, change: Partial<Task> = {}): Task =>
  swap(id, createdAt, { state: 'processing', endedAt: null, ...change })

/** A main whose answers come when the test says so. */
class Main {
  snapshots = 0
  seq = 1
  active: Task[] = [working('a', 1000)]
  /** In the library besides the active ones. */
  others: Task[] = []
  answer: (() => void) | null = null
  held = false
  emit: (delta: { seq: number; changed?: Task[]; removed?: string[]; open?: Task }) => void = () => undefined

  async #maybePaused(): Promise<void> {
    if (this.held) await new Promise<void>((resolve) => (this.answer = resolve))
  }

  readonly tasks = {
    snapshot: async (): Promise<TasksText> => {
      this.snapshots += 1
      await this.#maybePaused()
      return { seq: this.seq, json: JSON.stringify(this.active.map(row)) }
    },
    changed: (listener: (text: TasksText) => void): (() => void) => {
      this.emit = ({ seq, changed = [], removed = [], open }) => {
        const changes: TaskChanges = {
          ...{ rows: changed.map(row), removed, relisted: true },
          open: open ? { ...open, ...noLabels, number: numbers.indexOf(open.id) + 1 } : null,
        }
        listener({ seq, json: JSON.stringify(changes) })
      }
      return () => {
        this.emit = () => undefined
      }
    },
    get: ({ taskId }: { taskId: string }) => {
      const task = [...this.active, ...this.others].find(({ id }) => id === taskId)
      return Promise.resolve({ json: task ? JSON.stringify({ ...task, number: 1 }) : null })
    },
  }
  readonly library = {
    rows: async ({ numbers: wanted }: { numbers: Uint32Array }) => {
      const json = JSON.stringify(
        [...this.active, ...this.others].map(row).filter(({ number }) => wanted.includes(number)),
      )
      await this.#maybePaused()
      return { json }
    },
  }
}

async function started(): Promise<{ main: Main; state: TasksState }> {
  const main = new Main()
  const state = new TasksState(main)
  await state.start()
  return { main, state }
}

const ids = (state: TasksState): string[] => state.active.map((task) => task.id)

describe('what is active', () => {
  it('begins with the snapshot and follows deltas, newest first', async () => {
    const { main, state } = await started()
    main.emit({ seq: 2, changed: [working('b', 2000)] })
    expect(ids(state)).toEqual(['b', 'a'])
    main.emit({ seq: 3, removed: ['a'] })
    expect(ids(state)).toEqual(['b'])
    expect(main.snapshots).toBe(1)
  })

  it('asks for the snapshot after a gap', async () => {
    const { main, state } = await started()
    main.seq = 5
    main.active = [working('a', 1000), working('c', 3000)]
    main.emit({ seq: 5, changed: [working('c', 3000)] })
    await vi.waitFor(() => expect(ids(state)).toEqual(['c', 'a']))
    expect(main.snapshots).toBe(2)
  })

  it('ignores a delta that the snapshot already holds', async () => {
    const { main, state } = await started()
    main.emit({ seq: 1, removed: ['a'] })
    expect(ids(state)).toEqual(['a'])
  })

  it('keeps deltas that arrive while the snapshot is on its way, in order', async () => {
    const main = new Main()
    main.held = true
    const state = new TasksState(main)
    const starting = state.start()
    main.emit({ seq: 3, changed: [working('c', 3000)] })
    main.emit({ seq: 2, changed: [working('b', 2000)], removed: ['a'] })
    main.answer?.()
    await starting
    expect(ids(state)).toEqual(['c', 'b'])
    expect(main.snapshots).toBe(1)
  })

  it('tells what a delta changed, but not what the snapshot brought', async () => {
    const { main, state } = await started()
    const seen: string[] = []
    state.onTransition = (before, after) => seen.push(`${before?.title ?? 'new'} → ${after.title}`)
    main.emit({ seq: 2, changed: [swap('a', 1000, { title: 'Renamed' }), working('b', 1), swap('d', 1)] })
    // Of one that is neither active nor in sight nobody wants to hear.
    expect(seen).toEqual(['Astronaut clip → Renamed', 'new → Astronaut clip'])
  })
})

describe('a row', () => {
  it('is loaded once, and followed from then on', async () => {
    const { main, state } = await started()
    main.others = [swap('d', 1)]
    await state.load(Uint32Array.of(4))
    expect(state.at(4)?.id).toBe('d')
    main.others = []
    await state.load(Uint32Array.of(4))
    expect(state.get('d')?.title).toBe('Astronaut clip')
    main.emit({ seq: 2, changed: [swap('d', 1, { title: 'Renamed' })] })
    expect(state.at(4)?.title).toBe('Renamed')
    main.emit({ seq: 3, removed: ['d'] })
    expect(state.at(4)).toBeUndefined()
  })

  it('that changed while it was on its way is the newer one', async () => {
    const { main, state } = await started()
    main.others = [working('d', 1)]
    main.held = true
    const loading = state.load(Uint32Array.of(4))
    main.emit({ seq: 2, changed: [swap('d', 1, { state: 'failed', title: 'Newer' })] })
    main.answer?.()
    await loading
    expect(state.at(4)).toMatchObject({ state: 'failed', title: 'Newer' })
  })

  it('that came into sight long ago is let go, but never an active one', async () => {
    const { main, state } = await started()
    main.library.rows = ({ numbers: wanted }) =>
      Promise.resolve({
        json: JSON.stringify([...wanted].map((number) => rowOf(swap(`s${String(number)}`, 1), number))),
      })
    for (let page = 0; page < 20; page += 1)
      await state.load(Uint32Array.from({ length: 100 }, (_, index) => 10 + page * 100 + index))
    expect(state.at(10)).toBeUndefined()
    expect(state.at(10 + 1999)?.id).toBe('s2009')
    expect(ids(state)).toEqual(['a'])
  })
})

describe('the open swap', () => {
  it('is read whole and kept up to date until it is removed', async () => {
    const { main, state } = await started()
    const opening = state.open('a')
    expect(state.opened('a')).toBeUndefined()
    await opening
    expect(state.opened('a')?.video.codec).toBe('avc1.64001f')
    main.emit({ seq: 2, changed: [working('a', 1000)], open: working('a', 1000, { serviceStatus: 'baking' }) })
    expect(state.opened('a')?.serviceStatus).toBe('baking')
    main.emit({ seq: 3, removed: ['a'] })
    expect(state.opened('a')).toBeNull()
  })

  it('is null when there is none', async () => {
    const { state } = await started()
    await state.open('nobody')
    expect(state.opened('nobody')).toBeNull()
  })
})
