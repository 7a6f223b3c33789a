/**
 * @file The loop of `npm run dev`: Vite serves the studio, everything else is built again when it changes, and Mien is
 * then restarted. Arguments: Electron's binary, then those of the app. Ends with the app, or when its parent is gone.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { resolveConfig } from 'electron-vite'
import { appFolder, ensureTexts, makeAppOf, outDir } from '../build.mjs'
import { inRoot, main, say } from '../lib/run.mjs'
import { AppProcess } from './app-process.mjs'
import { watchBuilds } from './builds.mjs'
import { serveStudio } from './studio-server.mjs'

const [electron = '', ...args] = process.argv.slice(2)

/** Read for each use: a plugin of it keeps in mind whether it serves or builds. */
async function readConfig() {
  // An editor empties a file before it writes it anew, hence the delay.
  const build = { watch: { buildDelay: 100 }, sourcemap: /** @type {const} */ ('inline') }
  const { config = {} } = await resolveConfig({ root: inRoot(), logLevel: 'error', clearScreen: false, build }, 'serve')
  return config
}

await main(async () => {
  // Stacks name the sources' own lines.
  const options = `${process.env['NODE_OPTIONS'] ?? ''} --enable-source-maps`
  const env = { ...process.env, NODE_OPTIONS: options }
  mkdirSync(outDir, { recursive: true })
  makeAppOf(appFolder)
  // What lies here from now on is no normal build, which others would run.
  rmSync(join(outDir, '.stamp'), { force: true })

  say('Building Mien for development')
  const server = await serveStudio((await readConfig()).renderer ?? {})
  const app = new AppProcess(electron, [appFolder, ...args], { ...env, MIEN_DEV_SERVER: server.address })
  app.onQuit = () => process.exit(0)
  const end = () => void app.stop().then(() => process.exit(0))
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])) process.on(signal, end)
  process.on('disconnect', end)

  server.onTexts(() => {
    ensureTexts().catch((error) => say(error.message))
  })
  await watchBuilds(await readConfig(), {
    onBuilt: (names) => {
      say(app.isRunning ? `Built ${names} again: restarting Mien` : 'Starting Mien. Ctrl-C ends it')
      app.restart()
    },
    onBroken: (name) => {
      const next = app.isRunning ? 'Mien keeps running as it was, and restarts' : 'Mien starts'
      say(`${name} could not be built, for the reason above. ${next} when a correction is saved.`)
    },
  })
})
