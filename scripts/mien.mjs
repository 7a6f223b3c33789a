/** @file `npm run -s mien -- swap …`: runs the CLI from a checkout. Only the app writes to stdout. */
import { runApp } from './lib/app.mjs'
import { main } from './lib/run.mjs'

// npm runs scripts in the checkout, but paths on the command line are relative to the caller's directory.
const from = process.env['INIT_CWD'] ?? process.cwd()
await main(() => runApp(['--cli', '--cwd', from, ...process.argv.slice(2)], { quiet: true }))
