/** @file Runs the built app in Electron. */
import { appFolder, ensureBuilt } from '../build.mjs'
import { setup } from '../setup.mjs'
import { run, say, toolEnv } from './run.mjs'
import { withScreen } from './screen.mjs'
import { isRoot } from './system.mjs'

/**
 * Sets up, builds and runs the app with this terminal's stdio.
 * @param {string[]} args for the app
 * @param {{ quiet: boolean }} options `quiet` says only what takes time
 * @returns {Promise<number>} the app's exit code
 */
export async function runApp(args, { quiet }) {
  const runtime = await setup()
  await ensureBuilt()
  const tell = quiet ? () => undefined : say
  if (runtime.note) tell(runtime.note)
  return withScreen({}, async (screen, isVirtual) => {
    if (isVirtual) tell('There is no screen here: Mien runs on a virtual one (Xvfb), so no window is to be seen.')
    if (needsNoSandbox())
      tell("Chromium's sandbox is off, as it cannot work for root. Run as an ordinary user to have it on.")
    const { code } = await run(runtime.electron, [...electronFlags(), appFolder, ...args], {
      cwd: process.cwd(),
      env: toolEnv({ ...runtime.env, ...screen }),
      stdio: 'inherit',
    })
    return code
  })
}

const needsNoSandbox = () => process.platform === 'linux' && isRoot()

/** Switches for Chromium; they must stand before the app. Its own log is noise about the machine: only what is fatal. */
export const electronFlags = () => [...(needsNoSandbox() ? ['--no-sandbox'] : []), '--log-level=3']
