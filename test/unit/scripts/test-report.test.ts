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
  const skipped = ['a.test.ts > a > skipped']
  const failing = file('failed', ['passed', 'failed'])
  const unloaded = file('failed', [], [error('no module\nand more')])
  const unprepared = file('failed', ['skipped'], [], [suite([error('no folder')])])

  it.each<[string, ReportedModule, object]>([
    ['a good run', file('passed', ['passed', 'passed']), { passed: 2 }],
    ['skipped tests', file('passed', ['passed', 'skipped']), { passed: 1, skipped }],
    ['a failed test', failing, { passed: 1, failed: ['a.test.ts > a > failed: 1 is not 2 at f (a.ts:1:2)'] }],
    ['a file that could not be loaded', unloaded, { failed: ['a.test.ts: no module at f (a.ts:1:2)'] }],
    ['a suite whose set-up failed', unprepared, { failed: ['a.test.ts > a: no folder at f (a.ts:1:2)'], skipped }],
    ['a file that failed without a reason', file('failed', ['passed']), { passed: 1, failed: ['a.test.ts'] }],
  ])('names %s', (_, module, found) => {
    expect(reportOf([module], [])).toEqual({ passed: 0, failed: [], skipped: [], long: [], ...found })
  })

  it('names an error outside of any test', () => {
    const { failed } = reportOf([file('passed', ['passed'])], [error('late')])
    expect(failed).toEqual(['outside of any test: late at f (a.ts:1:2)'])
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
