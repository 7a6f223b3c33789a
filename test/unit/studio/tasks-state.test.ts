import { describe, expect, it } from 'vitest'
import type { TaskDelta } from '@shared/ipc.ts'
import type { Task } from '@shared/task.ts'
import { TasksState } from '../../../src/renderer/studio/state/tasks.svelte.ts'
import { swap } from '../../fixtures/fake-tasks.ts'

/** A main whose snapshot answers when the test says so. */
class Main {
  snapshots = 0
  seq = 1
  tasks: Task[] = [swap('a', 1000)]
  answer: (() => void) | null = null
  emit: (delta: TaskDelta) => void = () => undefined
  held = false

  readonly snapshot = (): Promise<{ seq: number; tasks: Task[] }> => {
    this.snapshots += 1
    const now = { seq: this.seq, tasks: this.tasks }
    if (!this.held) return Promise.resolve(now)
    return new Promise((resolve) => {
      this.answer = () => {
        resolve({ seq: this.seq, tasks: this.tasks })
      }
    })
  }
  readonly changed = (listener: (delta: TaskDelta) => void): (() => void) => {
    this.emit = listener
    return () => {
      this.emit = () => undefined
    }
  }
}

async function started(): Promise<{ main: Main; state: TasksState }> {
  const main = new Main()
  const state = new TasksState(main)
  await state.start()
  return { main, state }
}

const ids = (state: TasksState): string[] => state.all.map((task) => task.id)

describe('the library in the window', () => {
  it('begins with the snapshot and follows deltas, newest first', async () => {
    const { main, state } = await started()
    main.emit({ seq: 2, changed: [swap('b', 2000)], removed: [] })
    expect(ids(state)).toEqual(['b', 'a'])
    main.emit({ seq: 3, changed: [], removed: ['a'] })
    expect(ids(state)).toEqual(['b'])
    expect(main.snapshots).toBe(1)
  })

  it('asks for the snapshot after a gap', async () => {
    const { main, state } = await started()
    main.seq = 5
    main.tasks = [swap('a', 1000), swap('c', 3000)]
    main.emit({ seq: 5, changed: [swap('c', 3000)], removed: [] })
    await Promise.resolve()
    await Promise.resolve()
    expect(main.snapshots).toBe(2)
    expect(ids(state)).toEqual(['c', 'a'])
  })

  it('ignores a delta that the snapshot already holds', async () => {
    const { main, state } = await started()
    main.emit({ seq: 1, changed: [], removed: ['a'] })
    expect(ids(state)).toEqual(['a'])
  })

  it('keeps deltas that arrive while the snapshot is on its way, in order', async () => {
    const main = new Main()
    main.held = true
    const state = new TasksState(main)
    const starting = state.start()
    main.emit({ seq: 3, changed: [swap('c', 3000)], removed: [] })
    main.emit({ seq: 2, changed: [swap('b', 2000)], removed: ['a'] })
    main.answer?.()
    await starting
    expect(ids(state)).toEqual(['c', 'b'])
    expect(main.snapshots).toBe(1)
  })

  it('tells what a delta changed, but not what the snapshot brought', async () => {
    const { main, state } = await started()
    const seen: string[] = []
    state.onTransition = (before, after) => seen.push(`${before?.title ?? 'new'} → ${after.title}`)
    main.emit({ seq: 2, changed: [swap('a', 1000, { title: 'Renamed' }), swap('b', 1)], removed: [] })
    expect(seen).toEqual(['Astronaut clip → Renamed', 'new → Astronaut clip'])
  })
})
