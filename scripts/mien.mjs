/** @file `npm run -s mien -- swap …`: runs the CLI from a checkout. Only the app writes to stdout. */
import { runApp } from './lib/app.mjs'
import { main, outlivingSignals, say } from './lib/run.mjs'

// npm runs scripts in the checkout, but paths on the command line are relative to the caller's directory.
const from = process.env['INIT_CWD'] ?? process.cwd()
const words = process.argv.slice(2)
const args = ['--cli', '--cwd', from, ...words]

await main(() =>
  outlivingSignals(async (isInterrupted) => {
    try {
      const { code, signal } = await runApp(args, { quiet: true, isInterrupted })
      return isInterrupted() && signal !== null ? reportStop() : code
    } catch (error) {
      if (!isInterrupted()) throw error
      return reportStop()
    }
  }),
)

/** Reports what the app couldn't, because it hadn't begun. As src/main/cli/output/report-error.ts. */
function reportStop() {
  const message = 'Cancelled.'
  // A terminal shows ^C.
  say(process.stderr.isTTY ? `\r\u001b[K${message}` : message)
  const swap = words[0] === 'swap' ? { taskId: null, status: 'cancelled', output: null } : { status: 'cancelled' }
  const error = { code: 'cancelled', message, details: {} }
  if (words.includes('--json')) process.stdout.write(`${JSON.stringify({ ...swap, error })}\n`)
  return 130
}
