/** @file Counts the tests of vitest's JSON reports. Pure. */

/**
 * @typedef {{ passed: number, failed: number, skipped: string[] }} Counts `skipped`: names, which give the reason
 * @typedef {object} Report what is read of vitest's JSON reporter
 * @property {boolean} success
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {{ status: string, assertionResults: { status: string, fullName: string }[] }[]} testResults
 */

/**
 * What one run counted. A run without a report (it crashed or was ended) is one failure, so is a file that failed without
 * a failed test (it could not be loaded, or a hook failed), and so is an error outside of any test.
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
