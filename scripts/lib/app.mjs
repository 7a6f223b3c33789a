/** @file Runs the built app in Electron. */
import { appFolder, ensureBuilt } from '../build.mjs'
import { setup } from '../setup.mjs'
import { run, say, toolEnv } from './run.mjs'
import { withScreen } from './screen.mjs'
import { isRoot } from './system.mjs'

/**
 * Sets up, builds and runs the app with this terminal's stdio.
 * @param {string[]} args for the app
 * @param {{ quiet: boolean }} options `quiet` only reports steps that take time
 * @returns {Promise<number>} the app's exit code
 */
export async function runApp(args, { quiet }) {
  const runtime = await setup()
  await ensureBuilt()
  return withElectron(runtime, quiet ? () => undefined : say, async (env) => {
    const { code } = await run(runtime.electron, [...electronFlags(), appFolder, ...args], {
      cwd: process.cwd(),
      env: { ...env, MIEN_CLEAN_STDERR: '1' },
      stdio: 'inherit',
    })
    return code
  })
}

/**
 * Does `work` with the environment in which Electron runs, a screen included.
 * @param {import('../electron-runtime.mjs').Runtime} runtime
 * @param {(line: string) => void} tell gets what the user should know about it
 * @param {(env: NodeJS.ProcessEnv) => Promise<number>} work
 * @returns {Promise<number>}
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
