/**
 * @file Installs what a machine needs to run the app: dependencies, Electron, system libraries. Asks nothing, installs
 * only what is missing, and is fast if nothing is.
 */
import { ensureElectron } from './electron-runtime.mjs'
import { ensureDependencies } from './lib/npm.mjs'
import { isMain, main, say } from './lib/run.mjs'
import { ensureSystem, hasScreen } from './lib/system.mjs'

/**
 * @param {{ screen?: boolean, virtual?: boolean, keyring?: boolean, database?: boolean, ffmpeg?: boolean }} [needs] `screen`: to open a
 * window, with Xvfb if there is no screen; `virtual`: always with Xvfb; `keyring`: to start a separate Secret Service
 * for tests, for their trash, and to record sockets; `database`: PostgreSQL's server, for tests; `ffmpeg`: to make
 * videos, for tests and benchmarks
 * @returns {Promise<import('./electron-runtime.mjs').Runtime>}
 */
export async function setup({
  screen = true,
  virtual = false,
  keyring = false,
  database = false,
  ffmpeg = false,
} = {}) {
  await ensureDependencies()
  const runtime = await ensureElectron()
  await ensureSystem({
    electron: runtime.electron,
    commands: [
      ...(virtual || (screen && !hasScreen()) ? ['Xvfb'] : []),
      ...(keyring ? ['dbus-daemon', 'gio', 'gnome-keyring-daemon', 'setpriv', 'strace'] : []),
      ...(database ? ['initdb', 'setpriv'] : []),
      ...(ffmpeg ? ['ffmpeg'] : []),
    ],
  })
  return runtime
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const tests = process.argv.includes('--tests')
    await setup({ keyring: tests, database: tests, ffmpeg: tests })
    say('Everything is set up.')
  })
}
