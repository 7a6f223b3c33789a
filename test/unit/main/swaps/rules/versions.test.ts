import { describe, expect, it } from 'vitest'
import type { QualityRun, WeakPart } from '@shared/engine/engine.ts'
import type { Task, TaskVersion } from '@shared/tasks/task.ts'
import { joinedRuns, joinedWeak, maxVersions, versionOf } from '../../../../../src/main/swaps/rules/versions.ts'
import { step, type TaskAction } from '../../../../../src/main/swaps/rules/transitions.ts'
import { swap } from '../../../../fixtures/fake-tasks.ts'

const kept = swap('task-1', 1000)
const version = (number: number, change: Partial<TaskVersion> = {}): TaskVersion => ({
  ...{ number, at: number * 1000, sizeBytes: number, swappedFrames: null, quality: null, weak: [] },
  credentials: 'signed',
  ...{ change: { kind: 'swapped', fromMs: 1000, toMs: 2000 } },
  ...change,
})
const after = (task: Task, ...actions: TaskAction[]): Task =>
  actions.reduce((now, action) => step(now, action, 5000), task)
const placing = (number: number, made: TaskVersion | null = null): TaskAction => ({
  type: 'version-placing',
  number,
  made,
})
const placed: TaskAction = { type: 'version-placed' }
const make = (number: number, change: Partial<TaskVersion> = {}): TaskAction[] => [
  placing(number, version(number, change)),
  placed,
]
const numbers = ({ versions }: Task): number[] => versions?.list.map((one) => one.number) ?? []

describe('versions', () => {
  it('begin with the file as it was, when the first part is swapped again', () => {
    const before = after(kept, placing(2, version(2)))
    expect(before.versions).toMatchObject({ current: 1, placing: { number: 2, isNew: true } })
    expect(before.result).toEqual(kept.result)
    const { sizeBytes, quality, swappedFrames } = kept.result ?? {}
    expect(before.versions?.list[0]).toMatchObject({ number: 1, change: null, sizeBytes, quality, swappedFrames })
    const now = after(before, placed)
    expect(now.versions).toMatchObject({ current: 2, placing: null })
    expect(now.result).toMatchObject({ mediaId: kept.result?.mediaId, sizeBytes: 2, quality: null })
    expect(now.events.at(-1)).toEqual({ at: 5000, what: 'part-swapped', details: { fromMs: 1000, toMs: 2000 } })
  })

  it('can be gone back to', () => {
    const back = after(kept, ...make(2), placing(1), placed)
    expect(back.versions).toMatchObject({ current: 1, placing: null })
    expect(numbers(back)).toEqual([1, 2])
    expect(back.result).toEqual(kept.result)
    expect(back.events.at(-1)).toMatchObject({ what: 'went-back', details: { version: 1 } })
    const forward = after(back, placing(2), placed)
    expect(forward.events.at(-1)).toMatchObject({ what: 'went-back', details: { version: 2 } })
  })

  it('are as before when one could not be placed', () => {
    const refused = after(kept, placing(2, version(2)), { type: 'version-not-placed' })
    expect(refused).toMatchObject({ versions: null, result: kept.result })
    const two = after(kept, ...make(2))
    const back = after(two, placing(1), { type: 'version-not-placed' })
    expect(back.versions).toEqual(two.versions)
  })

  it('are five at most: the first, the current and the newest', () => {
    let task = kept
    for (let number = 2; number <= 7; number += 1)
      task = after(task, ...make(number, { change: { kind: 'left', fromMs: 0, toMs: 1 } }))
    expect(numbers(task)).toEqual([1, 4, 5, 6, 7])
    expect(numbers(task)).toHaveLength(maxVersions)
    expect(task.events.at(-1)?.what).toBe('part-left')
    const back = after(task, placing(4), placed)
    expect(numbers(after(back, ...make(8)))).toEqual([1, 5, 6, 7, 8])
  })

  it('are of finished swaps only', () => {
    const failed = { ...kept, state: 'failed' as const }
    expect(after(failed, ...make(2))).toBe(failed)
    expect(after(kept, placed)).toBe(kept)
    expect(after(kept, placing(3))).toBe(kept)
  })
})

const runs = (text: string): QualityRun[] =>
  text
    .split(' ')
    .flatMap((word) => (word === '' ? [] : { kind: kinds[word[0] ?? ''] ?? 'none', frames: Number(word.slice(1)) }))
const kinds: Record<string, QualityRun['kind']> = { s: 'swapped', t: 'turned', n: 'none', o: 'outside' }

it.each([
  ['in the middle', 's10 t2 s8', 4, 'o3', 's4 o3 s3 t2 s8'],
  ['over several runs', 's10 t2 s8', 9, 'n5', 's9 n5 s6'],
  ['at the beginning', 's10', 0, 'o2', 'o2 s8'],
  ['at the end', 's10', 8, 'o2', 's8 o2'],
  ['of the same kind', 's10 t2 s8', 10, 's2', 's20'],
])('runs %s are replaced', (_what, all, at, made, expected) => {
  expect(joinedRuns(runs(all), at, runs(made))).toEqual(runs(expected))
})

const weak = (kind: WeakPart['kind'], fromMs: number, toMs: number, frames: number): WeakPart => ({
  ...{ kind, face: 0, fromMs, toMs, frames },
})

it('weak parts are replaced in a part, and cut at its ends', () => {
  const all = [weak('turned', 0, 1000, 10), weak('covered', 1500, 3000, 15), weak('lost', 5000, 6000, 10)]
  expect(joinedWeak(all, { fromMs: 2000, toMs: 2500 }, [weak('unsteady', 2100, 2200, 1)])).toEqual([
    all[0],
    weak('covered', 1500, 2000, 5),
    weak('unsteady', 2100, 2200, 1),
    weak('covered', 2500, 3000, 5),
    all[2],
  ])
})

it('a version counts the swapped frames of the whole video', () => {
  const change = { kind: 'left', fromMs: 160, toMs: 280 } as const
  const made = { sizeBytes: 9, firstFrame: 4, quality: runs('o3'), weak: [], credentials: 'signed' as const }
  const result = { quality: runs('s10 t2 s8'), weak: [] }
  expect(versionOf({ versions: null }, result, change, made, 7)).toEqual(
    version(2, { at: 7, change, sizeBytes: 9, swappedFrames: 15, quality: runs('s4 o3 s3 t2 s8') }),
  )
})
