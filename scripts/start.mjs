/** @file `npm start`: does everything from a fresh clone to the open window. Arguments after `--` go to the app. */
import { runApp } from './lib/app.mjs'
import { main } from './lib/run.mjs'

await main(async () => (await runApp(process.argv.slice(2), { quiet: false })).code)
