/**
 * @file Everything a machine needs before the app can run: dependencies, Electron, system libraries. Asks nothing, does
 * only what is missing, and is quick when nothing is.
 */
import { ensureElectron } from './electron-runtime.mjs'
import { ensureDependencies } from './lib/npm.mjs'
import { isMain, main, say } from './lib/run.mjs'
import { ensureSystem, hasScreen, isRoot } from './lib/system.mjs'

/**
 * @param {{ screen?: boolean, virtual?: boolean, keyring?: boolean, clips?: boolean }} [needs] `screen`: a window is
 * opened, under Xvfb where there is no screen; `virtual`: under Xvfb anyway; `keyring`: a Secret Service of our own is
 * started, for tests; `clips`: ffmpeg makes video to measure with, where it is there or can be installed unasked
 * @returns {Promise<import('./electron-runtime.mjs').Runtime>}
 */
export async function setup({ screen = true, virtual = false, keyring = false, clips = false } = {}) {
  await ensureDependencies()
  const runtime = await ensureElectron()
  await ensureSystem({
    electron: runtime.electron,
    commands: [
      ...(virtual || (screen && !hasScreen()) ? ['Xvfb'] : []),
      ...(keyring ? ['dbus-daemon', 'gnome-keyring-daemon', 'setpriv'] : []),
      ...(clips && isRoot() ? ['ffmpeg'] : []),
    ],
  })
  return runtime
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await setup({ keyring: process.argv.includes('--tests') })
    say('Everything is set up.')
  })
}
