import { describe, expect, it } from 'vitest'
import { countsOf, summary, total } from '../../../scripts/lib/test-counts.mjs'

const test = (status: string) => ({ status, fullName: `one ${status}` })
const [passed, failed, skipped] = [test('passed'), test('failed'), test('skipped')]

const report = {
  success: true,
  numPassedTests: 3,
  numFailedTests: 0,
  testResults: [{ status: 'passed', assertionResults: [passed, passed, skipped, passed] }],
}
const names = ['one skipped']

describe('countsOf', () => {
  it.each([
    ['a good run', report, 0, { passed: 3, failed: 0, skipped: names }],
    ['a failed test', { ...report, numFailedTests: 2 }, 1, { passed: 3, failed: 2, skipped: names }],
    [
      'a file that could not be loaded',
      { ...report, testResults: [{ status: 'failed', assertionResults: [] }] },
      1,
      { passed: 3, failed: 1, skipped: [] },
    ],
    [
      'a file whose set-up failed, so that its tests were skipped',
      {
        ...report,
        numFailedTests: 1,
        testResults: [
          { status: 'failed', assertionResults: [failed] },
          { status: 'failed', assertionResults: [skipped] },
        ],
      },
      1,
      { passed: 3, failed: 2, skipped: names },
    ],
    ['an error outside of any test', report, 1, { passed: 3, failed: 1, skipped: names }],
    ['a run without a report', null, 0, { passed: 0, failed: 1, skipped: [] }],
  ])('counts %s', (_, given, code, counts) => {
    expect(countsOf(given, code)).toEqual(counts)
  })
})

describe('total', () => {
  it('adds up the runs', () => {
    const counts = total([
      { passed: 3, failed: 0, skipped: ['first'] },
      { passed: 4, failed: 1, skipped: ['second'] },
    ])
    expect(counts).toEqual({ passed: 7, failed: 1, skipped: ['first', 'second'] })
    expect(summary(counts)).toBe('7 passed, 1 failed')
  })
})
