/**
 * @file `npm test`: everything from a fresh clone to one line `N passed, N failed`. Arguments are names of projects
 * (`unit`, `studio`, `contract`, `keychain`, `e2e`, `package`, `updates`) or parts of test files' paths.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appFolder, ensureBuilt, ensureTexts } from './build.mjs'
import { Failure, main, readJson, run, say, toolEnv, toolNode, inRoot } from './lib/run.mjs'
import { withKeyring, withScreen } from './lib/screen.mjs'
import { isRoot, which } from './lib/system.mjs'
import { countsOf, summary, total } from './lib/test-counts.mjs'
import { setup } from './setup.mjs'

const plain = ['unit', 'studio', 'contract']
const desktop = ['keychain', 'e2e']
/** Makes packages and installs one, in about a minute: where that can be done unasked, else when it is asked for. */
const installing = ['package']
/** Updates one real AppImage to another in every way that can go wrong: minutes, so only when it is asked for. */
const asked = ['updates']
const canInstall = process.platform === 'linux' && process.arch === 'x64' && isRoot() && which('dpkg') !== null
const limitMs = 10 * 60_000

/** Splits the arguments into projects and filters for vitest; where all filters are paths, they tell the projects. */
function choose(/** @type {string[]} */ args) {
  const known = [...plain, ...desktop, ...installing, ...asked]
  const all = [...plain, ...desktop, ...(canInstall ? installing : [])]
  const named = args.filter((arg) => known.includes(arg))
  const filters = args.filter((arg) => !known.includes(arg))
  const fromPaths = filters.flatMap((path) => projectOf(path) ?? all)
  const projects = named.length > 0 ? named : filters.length > 0 ? fromPaths : all
  return { projects: [...new Set(projects)], filters }
}

function projectOf(/** @type {string} */ path) {
  const [, folder, below] = /(?:^|\/)test\/(\w+)\/(\w*)/.exec(path) ?? []
  return folder === 'unit' && below === 'studio' ? 'studio' : folder
}

const needsScreen = (/** @type {string} */ project) => project !== 'keychain'

/**
 * Runs some projects in one vitest.
 * @param {string[]} projects
 * @param {string[]} filters
 * @param {{ wrap?: (command: string, args: string[]) => [string, string[]], env?: Record<string, string> }} [options]
 */
async function vitest(projects, filters, { wrap = (command, args) => [command, args], env = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'mien-report-'))
  const file = join(folder, 'report.json')
  const args = [inRoot('node_modules', 'vitest', 'vitest.mjs'), 'run', '--passWithNoTests', ...filters]
  for (const name of projects) args.push('--project', name)
  args.push('--reporter=default', '--reporter=json', `--outputFile.json=${file}`)
  try {
    const [command, all] = wrap(toolNode(), args)
    const { code, timedOut } = await run(command, all, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: toolEnv(env),
      detached: true,
      limitMs,
    })
    if (code >= 128 && !timedOut) throw new Failure('Stopped.')
    if (timedOut) say(`The tests of ${projects.join(', ')} did not end within ${limitMs / 60_000} minutes.`)
    return countsOf(timedOut ? null : readJson(file), code)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs the chosen tests; what keeps some of them from running is told and counts as one failure. */
async function runAll(/** @type {string[]} */ args) {
  const { projects, filters } = choose(args)
  const first = projects.filter((name) => plain.includes(name))
  const second = projects.filter((name) => !plain.includes(name))
  // Each of the long ones has its own time.
  const runs = [
    second.filter((name) => desktop.includes(name)),
    ...second.filter((name) => !desktop.includes(name)).map((name) => [name]),
  ]
  /** @type {import('./lib/test-counts.mjs').Counts[]} */
  const counts = []
  try {
    const runtime = await setup({ screen: second.some(needsScreen), keyring: second.length > 0 })
    if (runtime.note) say(runtime.note)
    await ensureTexts()
    if (first.length > 0) counts.push(await vitest(first, filters, { env: runtime.env }))
    for (const each of runs) if (each.length > 0) counts.push(await inDesktopSession(each, filters, runtime.env))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    say(error.message)
    counts.push({ passed: 0, failed: 1, skipped: 0 })
  }
  return total(counts)
}

/**
 * @param {string[]} projects
 * @param {string[]} filters
 * @param {Record<string, string>} runtimeEnv
 */
async function inDesktopSession(projects, filters, runtimeEnv) {
  const inSession = (/** @type {Record<string, string>} */ screen) =>
    withKeyring((wrap, session) => {
      const env = { ...runtimeEnv, ...screen, ...session, MIEN_APP_DIR: appFolder }
      return vitest(projects, filters, { wrap, env })
    })
  if (!projects.some(needsScreen)) return inSession({})
  await ensureBuilt()
  return withScreen({}, inSession)
}

await main(async () => {
  const counts = await runAll(process.argv.slice(2))
  process.stdout.write(`${summary(counts)}\n`)
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0
})
