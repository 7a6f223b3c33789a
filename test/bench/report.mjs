/** @file How a benchmark ends. */

/**
 * Writes the result with `pass` as the last line of stdout, and sets the exit code. @param {object} result
 * @param {boolean} pass whether every limit is met
 */
export function report(result, pass) {
  process.stdout.write(`${JSON.stringify({ ...result, pass })}\n`)
  process.exitCode = pass ? 0 : 1
}
