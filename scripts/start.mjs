/** @file `npm start`: everything from a fresh clone to the open window. What follows `--` goes to the app. */
import { runApp } from './lib/app.mjs'
import { main } from './lib/run.mjs'

await main(() => runApp(process.argv.slice(2), { quiet: false }))
