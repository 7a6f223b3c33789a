/** @file `npm run -s mien -- swap …`: the command line, from a checkout. Stdout belongs to the app alone. */
import { runApp } from './lib/app.mjs'
import { main } from './lib/run.mjs'

// npm runs scripts in the checkout; paths on the command line are meant from where the caller stands.
const from = process.env['INIT_CWD'] ?? process.cwd()
await main(() => runApp(['--cli', '--cwd', from, ...process.argv.slice(2)], { quiet: true }))
