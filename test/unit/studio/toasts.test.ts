import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Toasts } from '../../../src/renderer/studio/state/app/toasts.svelte.ts'

let toasts: Toasts
const titles = (): string[] => toasts.list.map(({ title }) => title)
const done = (title: string): void => toasts.show({ icon: 'done', title })
const problem = (title: string): void => toasts.show({ icon: 'problem', title })

beforeEach(() => {
  vi.useFakeTimers()
  toasts = new Toasts()
})

describe('toasts', () => {
  it('are three at most, the newest first', () => {
    for (const title of ['a', 'b', 'c', 'd']) done(title)
    expect(titles()).toEqual(['d', 'c', 'b'])
  })

  it('of the same batch are one, which counts', () => {
    const finished = (title: string, id: string): void =>
      toasts.show({ icon: 'done', title, group: { id, count: 1, titleOf: (count) => `${String(count)} finished` } })
    done('a')
    for (const title of ['b', 'c', 'd']) finished(title, 'x')
    finished('e', 'y')
    expect(titles()).toEqual(['e', '3 finished', 'a'])
  })

  it('leave after six seconds; errors stay', () => {
    done('a')
    problem('b')
    vi.advanceTimersByTime(6000)
    expect(titles()).toEqual(['b'])
  })

  it('do not pile up: an error that comes again takes the place of itself', () => {
    problem('a')
    problem('b')
    problem('a')
    expect(titles()).toEqual(['a', 'b'])
  })

  it('all stay while one is under the pointer, also a new one, and have their time again after it', () => {
    done('a')
    toasts.hold('pointer')
    done('b')
    vi.advanceTimersByTime(60_000)
    expect(titles()).toEqual(['b', 'a'])
    toasts.release('pointer')
    vi.advanceTimersByTime(5999)
    expect(titles()).toEqual(['b', 'a'])
    vi.advanceTimersByTime(1)
    expect(titles()).toEqual([])
  })

  it('stay when the pointer leaves while the focus is there', () => {
    done('a')
    toasts.hold('focus')
    toasts.hold('pointer')
    toasts.release('pointer')
    vi.advanceTimersByTime(60_000)
    expect(titles()).toEqual(['a'])
  })

  it('leave again after the last one was closed under the pointer', () => {
    done('a')
    toasts.hold('pointer')
    toasts.close(toasts.list[0]?.id ?? 0)
    done('b')
    vi.advanceTimersByTime(6000)
    expect(titles()).toEqual([])
  })
})
