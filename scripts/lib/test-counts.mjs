/** @file Counts the tests in vitest's JSON reports. Pure. */

/**
 * @typedef {{ passed: number, failed: number, skipped: string[] }} Counts `skipped`: names that include the reason
 * @typedef {object} Report the fields used from vitest's JSON reporter
 * @property {boolean} success
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {{ status: string, assertionResults: { status: string, fullName: string }[] }[]} testResults
 */

/**
 * Counts the tests of one run. Each of these is one failure too: a run without a report (crashed or killed), a file
 * that failed without a failed test (load error or failed hook), and an error outside of any test.
 * @param {Report | null} report
 * @param {number} code vitest's exit code
 * @returns {Counts}
 */
export function countsOf(report, code) {
  if (!report) return { passed: 0, failed: 1, skipped: [] }
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  )
  const failed = report.numFailedTests + brokenFiles.length
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: report.testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ fullName }) => fullName),
  }
}

/**
 * @param {Counts[]} all
 * @returns {Counts}
 */
export function total(all) {
  const sum = (/** @type {'passed' | 'failed'} */ key) => all.reduce((count, counts) => count + counts[key], 0)
  return { passed: sum('passed'), failed: sum('failed'), skipped: all.flatMap(({ skipped }) => skipped) }
}

/** The last line of `npm test`. @param {Counts} counts */
export const summary = ({ passed, failed }) => `${passed} passed, ${failed} failed`
