/** @file A part of `npm run -s bench -- mutations`, seeded. */
import { expect, it } from 'vitest'
import { readMutated } from '../../fault/mutations.ts'

it('reads 20,000 damaged answers without another exception, each soon', () => {
  const report = readMutated(20_000, 20261120)
  expect(report.wrong).toEqual([])
  expect(report.readable).toBeGreaterThan(1000)
  expect(report.slowestMs).toBeLessThan(1000)
})
