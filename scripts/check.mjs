/** @file `npm run check`: all static checks. Runs every check even if one fails. */
import { ensureTexts } from './build.mjs'
import { ensureDependencies } from './lib/npm.mjs'
import { inRoot, main, runTool, run, toolEnv, toolNode } from './lib/run.mjs'

const eslint = 'eslint/bin/eslint.js'
const strict = ['--max-warnings', '0', '--no-warn-ignored']
/** @type {{ name: string, script: string, args: string[] }[]} */
const tools = [
  // Components apart: for each of them TypeScript builds the program anew, which other files need only once.
  { name: 'lint', script: eslint, args: ['.', '--ignore-pattern', '**/*.svelte', ...strict] },
  { name: 'lint-components', script: eslint, args: ['**/*.svelte', ...strict] },
  // Of all files, not only of components.
  {
    name: 'types',
    script: 'svelte-check/bin/svelte-check',
    args: ['--tsconfig', './tsconfig.json', '--fail-on-warnings', '--output', 'human'],
  },
  { name: 'unused', script: 'knip/bin/knip.js', args: ['--no-progress'] },
  { name: 'format', script: 'prettier/bin/prettier.cjs', args: ['--check', '--log-level', 'warn', '.'] },
]

await main(async () => {
  await ensureDependencies()
  await ensureTexts()
  const env = toolEnv({ NO_COLOR: '1', FORCE_COLOR: '0' })
  const jobs = tools.map(({ name, script, args }) => ({ name, work: () => runTool(script, args, { env }) }))
  const scripts = { languages: 'check-language-keys.mjs', folders: 'check-folder-cycles.mjs', size: 'check-size.mjs' }
  for (const [name, script] of Object.entries(scripts))
    jobs.push({ name, work: () => run(toolNode(), [inRoot('scripts', script)], { env }) })
  const only = process.argv.slice(2)
  const chosen = jobs.filter(({ name }) => only.length === 0 || only.includes(name))
  let failed = 0
  const queue = [...chosen]
  // Run two at a time: each keeps one core busy.
  const worker = async () => {
    for (let job = queue.shift(); job; job = queue.shift()) {
      const { code, output } = await job.work()
      if (code !== 0) failed += 1
      process.stdout.write(code === 0 ? `✓ ${job.name}\n` : `✗ ${job.name}\n${output.trimEnd()}\n\n`)
    }
  }
  await Promise.all([worker(), worker()])
  process.stdout.write(`checks: ${chosen.length - failed} passed, ${failed} failed\n`)
  return failed > 0 || chosen.length === 0 ? 1 : 0
})
