/** @file Counts the tests of vitest's JSON reports. Pure. */

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {object} Report what is read of vitest's JSON reporter
 * @property {boolean} success
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} [numTodoTests]
 * @property {{ status: string, assertionResults: unknown[] }[]} testResults
 */

/**
 * What one run counted. A run without a report (it crashed or was ended) is one failure, so is a file that could not be
 * loaded, and so is an error outside of any test.
 * @param {Report | null} report
 * @param {number} code vitest's exit code
 * @returns {Counts}
 */
export function countsOf(report, code) {
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  const failed = report.numFailedTests + brokenFiles.length
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
  }
}

/**
 * @param {Counts[]} all
 * @returns {Counts}
 */
export function total(all) {
  const sum = (/** @type {keyof Counts} */ key) => all.reduce((count, counts) => count + counts[key], 0)
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
}

/** The last line of `npm test`. @param {Counts} counts */
export function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
