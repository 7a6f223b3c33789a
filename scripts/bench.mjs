/**
 * @file `npm run -s bench -- NAME [--json]`: runs a benchmark of test/bench. Only the benchmark writes to stdout.
 * `--all-short` runs the short form of each that has limits, as `npm run test:all` does.
 */
import { readdirSync } from 'node:fs'
import { runBenches, runShortForms } from './lib/benches.mjs'
import { Failure, inRoot, main, say } from './lib/run.mjs'
import { summary } from './lib/test-report.mjs'

await main(async () => {
  const [name = '', ...args] = process.argv.slice(2)
  if (name === '--all-short') {
    const report = await runShortForms()
    for (const line of report.failed) say(`Failed: ${line}`)
    process.stdout.write(`${summary(report)}\n`)
    return report.failed.length > 0 ? 1 : 0
  }
  const names = readdirSync(inRoot('test', 'bench')).flatMap((file) =>
    file.endsWith('.mjs') ? [file.slice(0, -4)] : [],
  )
  if (!names.includes(name)) {
    throw new Failure(
      `Usage: npm run -s bench -- NAME [--json], where NAME is a file of test/bench: ${names.join(', ')}. Or --all-short.`,
    )
  }
  let exitCode = 1
  await runBenches([{ name, args }], (_, { code }) => (exitCode = code), 'inherit')
  return exitCode
})
