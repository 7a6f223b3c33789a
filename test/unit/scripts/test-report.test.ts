import { describe, expect, it } from 'vitest'
import { reportOf, summary, total, type ReportedModule } from '../../../scripts/lib/test-report.mjs'

const test = (state: string) => ({
  fullName: `a > ${state}`,
  tags: state === 'left out' ? ['long'] : [],
  result: () => ({ state, ...(state === 'failed' ? { errors: [error('1 is not 2')] } : {}) }),
})
const suite = (errors: Error[] = []) => ({ fullName: 'a', errors: () => errors })
const error = (message: string) =>
  Object.assign(new Error(message), { stack: `Error: x\n    at f (a.ts:1:2)\n    at g` })

const file = (state: string, tests: string[], errors: Error[] = [], suites = [suite()]): ReportedModule => ({
  ...{ relativeModuleId: 'a.test.ts', state: () => state, errors: () => errors },
  children: { allTests: () => tests.map(test), allSuites: () => suites },
})

describe('reportOf', () => {
  it.each<[string, ReportedModule, Error[], number, string[], string[]]>([
    ['a good run', file('passed', ['passed', 'passed']), [], 2, [], []],
    ['skipped tests', file('passed', ['passed', 'skipped']), [], 1, [], ['a.test.ts > a > skipped']],
    [
      'a failed test',
      file('failed', ['passed', 'failed']),
      [],
      1,
      ['a.test.ts > a > failed: 1 is not 2 at f (a.ts:1:2)'],
      [],
    ],
    [
      'a file that could not be loaded',
      file('failed', [], [error('no module\nand more')]),
      [],
      0,
      ['a.test.ts: no module at f (a.ts:1:2)'],
      [],
    ],
    [
      'a suite whose set-up failed, so that its tests were skipped',
      file('failed', ['skipped'], [], [suite([error('no folder')])]),
      [],
      0,
      ['a.test.ts > a: no folder at f (a.ts:1:2)'],
      ['a.test.ts > a > skipped'],
    ],
    ['a file that failed without a reason', file('failed', ['passed']), [], 1, ['a.test.ts'], []],
    [
      'an error outside of any test',
      file('passed', ['passed']),
      [error('late')],
      1,
      ['outside of any test: late at f (a.ts:1:2)'],
      [],
    ],
  ])('names %s', (_, module, unhandled, passed, failed, skipped) => {
    expect(reportOf([module], unhandled)).toEqual({ passed, failed, skipped, long: [] })
  })

  it('names long tests that were left out apart from skipped ones', () => {
    const { skipped, long } = reportOf([file('passed', ['skipped', 'left out'])], [])
    expect([skipped, long]).toEqual([['a.test.ts > a > skipped'], ['a.test.ts > a > left out']])
  })
})

it('total adds up the runs', () => {
  const report = total([
    { passed: 3, failed: [], skipped: ['first'], long: ['long'] },
    { passed: 4, failed: ['x'], skipped: ['second'], long: [] },
  ])
  expect(report).toEqual({ passed: 7, failed: ['x'], skipped: ['first', 'second'], long: ['long'] })
  expect(summary(report)).toBe('7 passed, 1 failed')
})
