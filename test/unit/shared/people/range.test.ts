import { expect, it } from 'vitest'
import { rangedMs, rangeProblem, seenMs } from '@shared/people/range.ts'
import type { Range } from '@shared/people/people.ts'

const range = (...parts: [number, number][]): Range => ({
  parts: parts.map(([fromMs, toMs]) => ({ fromMs, toMs })),
  rest: 'drop',
})

it.each<[string, Range, ReturnType<typeof rangeProblem>]>([
  ['one part', range([0, 1000]), null],
  ['parts that touch', range([0, 1000], [1000, 2000]), null],
  ['a part that ends after the video', range([5000, 90_000]), null],
  ['in after out', range([2000, 1000]), 'order'],
  ['nothing between in and out', range([1000, 1000]), 'order'],
  ['overlapping parts', range([0, 1000], [999, 2000]), 'overlap'],
  ['parts that are not in order', range([3000, 4000], [0, 1000]), 'overlap'],
  ['a part behind the end', range([0, 1000], [6000, 7000]), 'outside'],
  ['a part behind the end that ends with the video', range([8000, 6000]), 'outside'],
])('a range can be used, or the reason is named: %s', (_what, given, problem) => {
  expect(rangeProblem(given, 6000)).toBe(problem)
})

it('is not outside a video of unknown duration', () => expect(rangeProblem(range([6000, 7000]), null)).toBeNull())

it('shows clips as long as they are in its parts', () => {
  const clips = [
    { fromMs: 0, toMs: 1000 },
    { fromMs: 500, toMs: 4000 },
  ]
  expect(seenMs(null, clips)).toBe(4500)
  expect(seenMs(range([500, 1000], [2000, 9000]), clips)).toBe(500 + 500 + 2000)
  expect(seenMs(null, [])).toBe(0)
})

it('has the duration of its parts, as far as the video goes', () => {
  expect(rangedMs(null, 6000)).toBe(6000)
  expect(rangedMs(range([500, 1000], [2000, 9000]), 6000)).toBe(4500)
})
