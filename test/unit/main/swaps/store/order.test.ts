import { expect, it } from 'vitest'
import { reordered, type Move } from '../../../../../src/main/swaps/store/order.ts'

const queue = [
  { id: 'c', position: 9 },
  { id: 'a', position: 2 },
  { id: 'b', position: 5 },
]

it.each<[string, Move, string]>([
  ['c', 'first', 'cab'],
  ['c', 'up', 'acb'],
  ['a', 'up', 'abc'],
  ['a', 'down', 'bac'],
  ['c', 'down', 'abc'],
  ['a', 'last', 'bca'],
  ['c', { before: 'a' }, 'cab'],
  ['a', { before: 'c' }, 'bac'],
  ['a', { before: 'gone' }, 'abc'],
  ['gone', 'first', 'abc'],
])('%s goes %o: %s', (id, to, order) => {
  const moved = reordered(queue, id, to)
  expect(moved.map((each) => each.id).join('')).toBe(order)
  expect(moved.map(({ position }) => position)).toEqual([2, 5, 9])
})
