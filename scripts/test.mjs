/**
 * @file `npm test`: does everything from a fresh clone to the line `N passed, N failed`. Arguments are project names
 * (`unit`, `studio`, `contract`, `model`, `keychain`, `e2e`, `package`, `updates`) or parts of test file paths.
 * `--all` (`npm run test:all`) adds the tests with the tag `long`, packages, updates and the short forms of the
 * benchmarks. `--coverage` also reports which lines the tests in this process run, and writes `coverage/index.html`.
 */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { appFolder, ensureBuilt, ensureTexts } from './build.mjs'
import { runShortForms } from './lib/benches.mjs'
import { Failure, main, readJson, run, say, toolEnv, toolNode, inRoot } from './lib/run.mjs'
import { withSessions } from './lib/screen.mjs'
import { hasScreen, isRoot, which } from './lib/system.mjs'
import { reportVariable, runningFile, summary, total } from './lib/test-report.mjs'
import { setup } from './setup.mjs'

const plain = ['unit', 'studio', 'contract', 'model']
const desktop = ['keychain', 'e2e']
/** Packages that are made, installed and updated. Only where that needs no prompt, or by name. */
const installing = ['package', 'updates']
const canInstall = process.platform === 'linux' && process.arch === 'x64' && isRoot() && which('dpkg') !== null
const flags = { all: '--all', coverage: '--coverage' }
const isAll = process.argv.includes(flags.all)
/** Catches what even the limits of single tests don't, far above what a slow machine needs. */
const limitMs = (isAll ? 120 : 60) * 60_000
// Node 16 lacks this function, but has to reach the message that it is too old.
const workers = Math.max(2, os.availableParallelism?.() ?? 0)

/** Splits the arguments into projects and vitest filters. Without project names, the paths select the projects. */
function choose(/** @type {string[]} */ args) {
  const known = [...plain, ...desktop, ...installing]
  const all = [...plain, ...desktop, ...(isAll && canInstall ? installing : [])]
  const named = args.filter((arg) => known.includes(arg))
  const filters = args.filter((arg) => !known.includes(arg) && !Object.values(flags).includes(arg))
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
 * Runs projects in one vitest process.
 * @param {string[]} projects
 * @param {string[]} filters
 * @param {number} maxWorkers
 * @param {Record<string, string>} env
 */
async function vitest(projects, filters, maxWorkers, env) {
  const folder = mkdtempSync(join(os.tmpdir(), 'mien-report-'))
  const file = join(folder, 'report.json')
  const args = [inRoot('node_modules', 'vitest', 'vitest.mjs'), 'run', '--passWithNoTests', ...filters]
  for (const name of projects) args.push('--project', name)
  if (!isAll) args.push('--tags-filter=!long')
  if (process.argv.includes(flags.coverage) && projects.every((name) => plain.includes(name))) args.push(flags.coverage)
  args.push(
    `--maxWorkers=${maxWorkers}`,
    '--reporter=default',
    `--reporter=${inRoot('scripts', 'lib', 'test-report.mjs')}`,
  )
  try {
    const { code, timedOut } = await run(toolNode(), args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: toolEnv({ ...env, LC_ALL: 'C.UTF-8', [reportVariable]: file }),
      detached: true,
      limitMs,
    })
    if (code >= 128 && !timedOut) throw new Failure('Stopped.')
    /** @type {import('./lib/test-report.mjs').Report | null} */
    const report = readJson(file)
    if (report && (report.failed.length > 0 || code === 0)) return report
    const end = timedOut ? `did not end within ${limitMs / 60_000} minutes` : `ended with code ${code}`
    const running = (readJson(runningFile(file)) ?? []).map(
      (/** @type {string} */ name) => `${name}: was still running`,
    )
    return {
      ...{ passed: 0, skipped: [], long: [], ...report },
      failed: [`The tests of ${projects.join(', ')} ${end}.`, ...running],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What tests write at the same time, at most. */
const neededBytes = 2e9

/** @throws Failure if tests would fail for lack of space */
function checkSpace() {
  const { bavail, bsize } = statfsSync(os.tmpdir())
  if (bavail * bsize > neededBytes) return
  const free = Math.round((bavail * bsize) / 1e6)
  throw new Failure(
    `${os.tmpdir()} has only ${free} MB free, and tests need ${neededBytes / 1e6}. Free some space first.`,
  )
}

/** Runs the selected tests. An error that prevents some from running is reported and counts as one failure. */
async function runAll(/** @type {string[]} */ args) {
  const { projects, filters } = choose(args)
  /** @type {import('./lib/test-report.mjs').Report[]} */
  const reports = []
  const told = async (/** @type {() => Promise<void>} */ work) => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      reports.push({ passed: 0, failed: [error.message], skipped: [], long: [] })
    }
  }
  rmSync(inRoot('.cache', 'failed-tests'), { recursive: true, force: true })
  await told(async () => {
    checkSpace()
    const windowed = projects.filter((name) => !plain.includes(name))
    const runtime = await setup({
      screen: windowed.some(needsScreen),
      keyring: windowed.length > 0,
      database: true,
      ffmpeg: windowed.length > 0,
    })
    if (runtime.note) say(runtime.note)
    await ensureTexts()
    // Run the groups in sequence: each keeps all cores busy.
    for (const names of [plain, desktop, ['package'], ['updates']]) {
      const group = projects.filter((name) => names.includes(name))
      if (group.length > 0) await told(async () => void reports.push(await runGroup(group, filters, runtime.env)))
    }
    if (isAll && args.every((arg) => Object.values(flags).includes(arg)))
      await told(async () => void reports.push(await runShortForms()))
  })
  return total(reports)
}

/**
 * @param {string[]} projects either all with windows or none
 * @param {string[]} filters
 * @param {Record<string, string>} env
 */
async function runGroup(projects, filters, env) {
  if (projects.every((name) => plain.includes(name))) return vitest(projects, filters, workers, env)
  if (projects.some(needsScreen)) await ensureBuilt()
  const count = hasScreen() || !projects.some((name) => desktop.includes(name)) ? 1 : Math.min(workers + 1, 4)
  return withSessions(count, (sessions) =>
    vitest(projects, filters, count, { ...env, MIEN_SESSIONS: JSON.stringify(sessions), MIEN_APP_DIR: appFolder }),
  )
}

await main(async () => {
  const args = process.argv.slice(2)
  const report = await runAll(args)
  if (isAll && !canInstall) report.skipped.push('packages and updates (need root, on linux-x64 with dpkg)')
  for (const name of [...report.skipped, ...(isAll ? report.long : [])]) say(`Skipped: ${name}`)
  if (!isAll && report.long.length > 0) say(`Left to npm run test:all: ${report.long.length} long tests`)
  for (const name of report.failed) say(`Failed: ${name}`)
  process.stdout.write(`${summary(report)}\n`)
  return report.failed.length > 0 || report.passed === 0 ? 1 : 0
})
