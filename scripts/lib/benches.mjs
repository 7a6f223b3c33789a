/** @file Runs benchmarks: alone, or the short form of each that has limits. */
import { ensureBuilt } from '../build.mjs'
import { inRoot, run, say, toolEnv, toolNode } from './run.mjs'
import { withKeyring, withScreen } from './screen.mjs'
import { isRoot } from './system.mjs'
import { setup } from '../setup.mjs'

/** Arguments of each short form. It takes at most some minutes. @type {Record<string, string[]>} */
const shortForms = {
  cluster: ['--only', 'chaos', '--swaps', '300', '--kills', '6'],
  engine: ['--short'],
  faults: ['--only', 'at create'],
  kills: ['--kills', '4', '--fps', '10'],
  library: ['--store', '--swaps', '20000'],
  life: ['--runs', '500'],
  likeness: ['--only', 'ochoa'],
  memory: ['--seconds', '60'],
  mutations: [],
  oddfiles: ['--short'],
  overnight: ['--swaps', '20'],
  package: [],
  people: ['--only', 'two', 'controls'],
  quality: ['--only', 'blink'],
  self: [],
  startup: ['--rounds', '3'],
  watch: [],
}

const withFfmpeg = ['blind', 'engine', 'kills', 'likeness', 'memory', 'oddfiles', 'people', 'quality', 'self', 'views']

/**
 * Runs benchmarks one after the other, in a desktop session of their own.
 * @param {{ name: string, args: string[] }[]} all names of files of test/bench
 * @param {(bench: { name: string }, result: { code: number, stdout: string }) => void} ended
 * @param {'inherit' | 'pipe'} stdout
 */
export async function runBenches(all, ended, stdout) {
  const names = all.map(({ name }) => name)
  const runtime = await setup({
    virtual: true,
    keyring: true,
    database: names.includes('cluster'),
    // Without root rights, set-up would stop.
    ffmpeg: isRoot() && names.some((name) => withFfmpeg.includes(name)),
  })
  await ensureBuilt()
  await withScreen({ always: true }, (screen) =>
    withKeyring(async (session) => {
      const env = toolEnv({ ...runtime.env, ...screen, ...session, MIEN_ELECTRON: runtime.electron })
      for (const bench of all) {
        const script = inRoot('test', 'bench', `${bench.name}.mjs`)
        const stdio = /** @type {const} */ (['ignore', stdout, 'inherit'])
        ended(bench, await run(toolNode(), [script, ...bench.args], { stdio: [...stdio], detached: true, env }))
      }
      return 0
    }),
  )
}

/** Whether the last line of a benchmark's output is a result that passed. @param {string} stdout */
export function saysPass(stdout) {
  try {
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '').pass === true
  } catch {
    return false
  }
}

/** Runs the short form of each benchmark that has limits. @returns {Promise<import('./test-report.mjs').Report>} */
export async function runShortForms() {
  const all = Object.entries(shortForms).map(([name, args]) => ({ name, args: [...args, '--json'] }))
  /** @type {import('./test-report.mjs').Report} */
  const report = { passed: 0, failed: [], skipped: [], long: [] }
  await runBenches(
    all,
    ({ name }, { code, stdout }) => {
      const pass = code === 0 && saysPass(stdout)
      if (pass) report.passed += 1
      else report.failed.push(`bench ${name}: code ${code}, ${stdout.trimEnd().slice(-2000)}`)
      say(`${pass ? '✓' : '✗'} bench ${name}`)
    },
    'pipe',
  )
  return report
}
