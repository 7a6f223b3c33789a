import { describe, expect, it, vi } from 'vitest'
import type { LibraryQuery } from '@shared/tasks/library-query.ts'
import type { LibraryView } from '@shared/tasks/library-view.ts'
import { LibraryState } from '../../../src/renderer/studio/state/library/library.svelte.ts'

const counts = { all: 5, working: 0, 'needs-you': 0, finished: 5 }
const viewOf = (...order: number[]): LibraryView => ({
  ...{ order: Int32Array.from(order), sets: new Uint32Array(), members: new Uint32Array() },
  ...{ complete: true, days: new Float64Array(), counts, done: 0, tagged: false },
})

/** A main that answers when the test says so. */
function opened() {
  const asked: LibraryQuery[] = []
  const answers: ((view: LibraryView) => void)[] = []
  const loaded: number[][] = []
  const library = new LibraryState({
    bridge: {
      view: (query) => {
        asked.push(query)
        return new Promise((resolve) => answers.push(resolve))
      },
      sets: () => Promise.reject(new Error('not asked')),
      facets: () => Promise.reject(new Error('not asked')),
    },
    sort: () => 'newest',
    load: (numbers) => {
      loaded.push([...numbers])
      return Promise.resolve()
    },
  })
  const answer = async (...order: number[]): Promise<void> => {
    const asks = asked.length
    answers.shift()?.(viewOf(...order))
    await vi.waitFor(() => expect([...library.order].join() === order.join() || asked.length > asks).toBe(true))
  }
  return { library, asked, loaded, answer, answers }
}

describe('a view of the library', () => {
  it('is shown with its first rows there', async () => {
    const { library, loaded, answer } = opened()
    const refreshed = library.refresh()
    await answer(3, 2, 1)
    await refreshed
    expect([[...library.order], loaded, library.counts.all]).toEqual([[3, 2, 1], [[3, 2, 1]], 5])
  })

  it('begins with its first rows, and has the others when they are found', async () => {
    const { library, asked, answer, answers } = opened()
    const started = library.start()
    answers.shift()?.({ ...viewOf(3, 2), complete: false })
    await started
    expect([...library.order]).toEqual([3, 2])
    const all = library.chooseAll()
    await vi.waitFor(() => expect(asked).toHaveLength(2))
    await answer(3, 2, 1)
    await all
    expect([[...library.order], library.chosen.size, asked.map(({ limit }) => limit)]).toEqual([
      ...[[3, 2, 1], 3, [60, undefined]],
    ])
  })

  it('of letters typed faster than they are answered is asked for the last ones', async () => {
    const { library, asked, answer } = opened()
    for (const search of ['c', 'cl', 'cli', 'clip']) library.search = search
    expect(asked.map(({ search }) => search)).toEqual(['c'])
    await answer(3, 2)
    await vi.waitFor(() => expect(asked.map(({ search }) => search)).toEqual(['c', 'clip']))
    await answer(2)
    await vi.waitFor(() => expect(library.shown?.search).toBe('clip'))
  })

  it('of a letter that is typed before the rest was asked for is asked for at once', async () => {
    vi.useFakeTimers()
    const { library, asked, answers } = opened()
    library.search = 'c'
    answers.shift()?.({ ...viewOf(3, 2), complete: false })
    await vi.advanceTimersByTimeAsync(100)
    library.search = 'cl'
    await vi.advanceTimersByTimeAsync(0)
    expect(asked.map(({ search, limit }) => [search, limit])).toEqual([
      ['c', 60],
      ['cl', 60],
    ])
  })

  it('is the same view after a change of its swaps, and another one after a search', async () => {
    const { library, answer } = opened()
    void library.refresh()
    await answer(2, 1)
    await vi.waitFor(() => expect(library.shown).not.toBeNull())
    const { shown } = library
    library.changed()
    library.changed()
    await vi.waitFor(async () => {
      await answer(3, 2, 1)
      expect([...library.order]).toEqual([3, 2, 1])
    })
    expect(library.shown).toBe(shown)
    library.filter = 'finished'
    await answer(2)
    await vi.waitFor(() => expect(library.shown).not.toBe(shown))
  })
})

it('chooses a range from where it began, over swaps that were never in sight too', async () => {
  const { library, answer } = opened()
  void library.refresh()
  await answer(5, 4, 3, 2, 1)
  library.toggle(4)
  library.extend(2)
  expect([...library.chosen]).toEqual([4, 3, 2])
  library.extend(5)
  expect([...library.chosen]).toEqual([5, 4])
  expect([...library.targets(5)]).toEqual([5, 4])
  expect([...library.targets(1)]).toEqual([1])
})

describe('sets', () => {
  const opened3 = async () => {
    const { library, answers } = opened()
    const refreshed = library.refresh()
    answers.shift()?.({
      ...viewOf(9, -1, 5),
      ...{ sets: Uint32Array.of(1, 3), members: Uint32Array.of(8, 7, 6) },
    })
    await refreshed
    return library
  }

  it('are selected with all their swaps, alone and in a range', async () => {
    const library = await opened3()
    library.toggle(-1)
    expect([[...library.chosen], library.isChosen(-1)]).toEqual([[8, 7, 6], true])
    library.toggle(-1)
    expect(library.chosen.size).toBe(0)
    library.toggle(9)
    library.extend(5)
    expect([...library.chosen]).toEqual([9, 8, 7, 6, 5])
    expect([...library.targets(-1)]).toEqual([9, 8, 7, 6, 5])
    library.clear()
    expect([...library.targets(-1)]).toEqual([8, 7, 6])
    await library.chooseAll()
    expect(library.chosen.size).toBe(5)
  })

  it('stay open, and keep the focus when they are folded', async () => {
    const library = await opened3()
    library.toggleSet(-1)
    expect([[...library.order], library.isOpen(-1), library.setOf(7), library.setOf(9)]).toEqual([
      ...[[9, -1, 8, 7, 6, 5], true, -1, null],
    ])
    library.toggle(7)
    expect([library.isChosen(-1), [...library.chosen]]).toEqual([false, [7]])
    library.toggleSet(-1)
    expect([[...library.order], library.current]).toEqual([[9, -1, 5], -1])
  })
})
