/** @file Runs the built app in Electron. */
import { appFolder, ensureBuilt } from '../build.mjs'
import { setup } from '../setup.mjs'
import { Failure, run, say, toolEnv } from './run.mjs'
import { withScreen } from './screen.mjs'
import { isRoot } from './system.mjs'

/**
 * Sets up, builds and runs the app with this terminal's stdio.
 * @param {string[]} args for the app
 * @param {{ quiet: boolean, isInterrupted?: () => boolean }} options `quiet` only reports steps that take time;
 * `isInterrupted` is asked before each step
 * @returns {Promise<{ code: number, signal: NodeJS.Signals | null }>} the app's exit code; `signal`: it had none, a
 * signal ended it
 * @throws {Failure} also if it's interrupted before the app is started
 */
export async function runApp(args, { quiet, isInterrupted = () => false }) {
  const goOn = () => {
    if (isInterrupted()) throw new Failure('Stopped.')
  }
  const runtime = await setup()
  goOn()
  await ensureBuilt()
  goOn()
  return withElectron(runtime, quiet ? () => undefined : say, (env) => {
    goOn()
    return run(runtime.electron, [...electronFlags(), appFolder, ...args], {
      cwd: process.cwd(),
      env: { ...env, MIEN_CLEAN_STDERR: '1' },
      stdio: 'inherit',
    })
  })
}

/**
 * Does `work` with the environment in which Electron runs, a screen included.
 * @param {import('../electron-runtime.mjs').Runtime} runtime
 * @param {(line: string) => void} tell gets what the user should know about it
 * @template T
 * @param {(env: NodeJS.ProcessEnv) => Promise<T>} work
 * @returns {Promise<T>}
 */
export function withElectron(runtime, tell, work) {
  if (runtime.note) tell(runtime.note)
  return withScreen({}, (screen, isVirtual) => {
    if (isVirtual) tell('There is no screen here: Mien runs on a virtual one (Xvfb), so no window is to be seen.')
    if (needsNoSandbox())
      tell("Chromium's sandbox is off, as it cannot work for root. Run as an ordinary user to have it on.")
    return work(toolEnv({ ...runtime.env, ...screen }))
  })
}

const needsNoSandbox = () => process.platform === 'linux' && isRoot()

/** Chromium switches, which must precede the app path. Only fatal log messages: the rest is noise about the machine. */
export const electronFlags = () => [...(needsNoSandbox() ? ['--no-sandbox'] : []), '--log-level=3']
