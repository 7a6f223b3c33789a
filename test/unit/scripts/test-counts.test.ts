import { describe, expect, it } from 'vitest'
import { countsOf, summary, total } from '../../../scripts/lib/test-counts.mjs'

const report = {
  success: true,
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 1,
  testResults: [{ status: 'passed', assertionResults: [{}, {}, {}, {}] }],
}

describe('countsOf', () => {
  it.each([
    ['a good run', report, 0, { passed: 3, failed: 0, skipped: 1 }],
    ['a failed test', { ...report, numFailedTests: 2 }, 1, { passed: 3, failed: 2, skipped: 1 }],
    [
      'a file that could not be loaded',
      { ...report, testResults: [{ status: 'failed', assertionResults: [] }] },
      1,
      { passed: 3, failed: 1, skipped: 1 },
    ],
    ['an error outside of any test', report, 1, { passed: 3, failed: 1, skipped: 1 }],
    ['a run without a report', null, 0, { passed: 0, failed: 1, skipped: 0 }],
  ])('counts %s', (_, given, code, counts) => {
    expect(countsOf(given, code)).toEqual(counts)
  })
})

describe('summary', () => {
  it('adds up the runs and leaves out what is zero but failures', () => {
    const counts = total([
      { passed: 3, failed: 0, skipped: 0 },
      { passed: 4, failed: 1, skipped: 0 },
    ])
    expect(summary(counts)).toBe('7 passed, 1 failed')
  })

  it('tells what was skipped', () => {
    expect(summary({ passed: 1, failed: 0, skipped: 2 })).toBe('1 passed, 0 failed, 2 skipped')
  })
})
