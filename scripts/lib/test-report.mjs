/** @file What `scripts/test.mjs` sums up of each vitest run: a reporter that writes it as JSON, and the sum. */
import { writeFileSync } from 'node:fs'

/**
 * @typedef {object} Report
 * @property {number} passed
 * @property {string[]} failed names of tests, files and errors; each counts as one failure
 * @property {string[]} skipped names of tests, with the reason
 * @property {string[]} long names of tests with the tag `long` that did not run
 * @typedef {{ message: string, stack?: string | undefined }} ReportedError
 * @typedef {{ fullName: string, errors(): readonly ReportedError[] }} ReportedSuite
 * @typedef {{ fullName: string, tags: readonly string[], result(): { state: string, errors?: readonly ReportedError[] | undefined } }} ReportedTest
 * @typedef {object} ReportedModule the part used of vitest's TestModule
 * @property {string} relativeModuleId
 * @property {() => string} state
 * @property {() => readonly ReportedError[]} errors
 * @property {{ allTests(): Iterable<ReportedTest>, allSuites(): Iterable<ReportedSuite> }} children
 */

/** The variable with the path of the file that the reporter writes. */
export const reportVariable = 'MIEN_TEST_REPORT'

/** The message's first line, and the first place of the stack. */
const firstLines = (/** @type {ReportedError} */ { message, stack = '' }) =>
  [message.split('\n')[0], /^\s+(at .*)/m.exec(stack)?.[1]].filter(Boolean).join(' ')

/**
 * Errors of a file or a suite are those of its hooks, or of loading it. A file that failed without saying why is one
 * failure too.
 * @param {readonly ReportedModule[]} modules
 * @param {readonly ReportedError[]} unhandled errors outside of any test
 * @returns {Report}
 */
export function reportOf(modules, unhandled) {
  /** @type {Report} */
  const report = { passed: 0, failed: [], skipped: [], long: [] }
  for (const module of modules) {
    const file = module.relativeModuleId
    const before = report.failed.length
    for (const test of module.children.allTests()) {
      const { state, errors = [] } = test.result()
      const name = `${file} > ${test.fullName}`
      if (state === 'passed') report.passed += 1
      else if (state === 'failed') report.failed.push([name, ...errors.slice(0, 1).map(firstLines)].join(': '))
      else report[test.tags.includes('long') ? 'long' : 'skipped'].push(name)
    }
    for (const error of module.errors()) report.failed.push(`${file}: ${firstLines(error)}`)
    for (const suite of module.children.allSuites()) {
      for (const error of suite.errors()) report.failed.push(`${file} > ${suite.fullName}: ${firstLines(error)}`)
    }
    if (module.state() === 'failed' && report.failed.length === before) report.failed.push(file)
  }
  for (const error of unhandled) report.failed.push(`outside of any test: ${firstLines(error)}`)
  return report
}

/** @param {Report[]} reports @returns {Report} */
export const total = (reports) => ({
  passed: reports.reduce((sum, { passed }) => sum + passed, 0),
  failed: reports.flatMap(({ failed }) => failed),
  skipped: reports.flatMap(({ skipped }) => skipped),
  long: reports.flatMap(({ long }) => long),
})

/** The last line of `npm test`. @param {Pick<Report, 'passed' | 'failed'>} report */
export const summary = ({ passed, failed }) => `${passed} passed, ${failed.length} failed`

/** Beside the report: names of the tests that are running, for a run that does not end. */
export const runningFile = (/** @type {string} */ report) => `${report}.running`

export default class {
  /** @type {Set<string>} */
  running = new Set()

  /** @param {{ fullName: string, module: { relativeModuleId: string } }} test */
  onTestCaseReady({ fullName, module }) {
    this.running.add(`${module.relativeModuleId} > ${fullName}`)
    this.tell()
  }

  /** @param {{ fullName: string, module: { relativeModuleId: string } }} test */
  onTestCaseResult({ fullName, module }) {
    this.running.delete(`${module.relativeModuleId} > ${fullName}`)
    this.tell()
  }

  tell() {
    const file = process.env[reportVariable]
    if (file) writeFileSync(runningFile(file), JSON.stringify([...this.running]))
  }

  /** @param {readonly ReportedModule[]} modules @param {readonly ReportedError[]} unhandled */
  onTestRunEnd(modules, unhandled) {
    const file = process.env[reportVariable]
    if (file) writeFileSync(file, JSON.stringify(reportOf(modules, unhandled)))
  }
}
