import { expect, it } from 'vitest'
import { StopCounter } from '../../../../../src/main/cli/output/stop-counter.ts'

it('one Ctrl-C that several processes pass on is one stop, and a second one is told from it', () => {
  const stops = new StopCounter()
  expect([5000, 5001, 5040, 5900, 6500, 6510, 9000].map((atMs) => stops.next(atMs))).toEqual([
    ...['first', 'same', 'same', 'same'],
    ...['again', 'same', 'again'],
  ])
})
