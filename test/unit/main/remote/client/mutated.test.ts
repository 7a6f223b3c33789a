/** @file A part of `npm run -s bench -- mutations`, seeded. */
import { expect, it } from 'vitest'
import { readMutated } from '../../../../fault/mutations.ts'

for (const [count, tags] of [
  [1000, []],
  [20_000, ['long']],
] as const)
  it(`reads ${count} damaged answers without another exception, each soon`, { tags: [...tags] }, () => {
    const report = readMutated(count, 20261120)
    expect(report.wrong).toEqual([])
    expect(report.readable).toBeGreaterThan(count / 20)
    expect(report.slowestMs).toBeLessThan(1000)
  })
