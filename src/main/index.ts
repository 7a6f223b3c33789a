/**
 * @file Entry point: what has to be done before the app is ready, then a window or a command. Kept small, and without
 * texts and zod: all other code is loaded from the compile cache. Electron waits for this module before the app is ready,
 * so it must not wait for that.
 */
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { app } from 'electron'
import { endWithFirstProcess, needsSecondProcess, runAgain } from './cli/output/filtered-run.ts'
import { readLaunch } from './cli/args/launch.ts'
import { setUpChromium } from './pages/set-up-chromium.ts'

const outDir = join(import.meta.dirname, '..')
const resourcesDir = app.isPackaged ? join(process.resourcesPath, 'resources') : join(app.getAppPath(), 'resources')

setUpChromium(app)

// In development, arguments for Electron and the app's folder come first.
const appAt = process.argv.findIndex((word) => resolve(word) === app.getAppPath())
const launch = readLaunch(process.argv.slice(app.isPackaged ? 1 : Math.max(2, appAt + 1)), process.cwd())
endWithFirstProcess()
if (needsSecondProcess(launch)) {
  app.exit(await runAgain(launch))
} else if (launch.kind === 'cli') {
  // Awaited, so that the app isn't ready before the command has set Chromium's folder.
  const { runCli } = await import('./cli/run.ts')
  await runCli({ ...launch, outDir, resourcesDir })
} else {
  const dataDir = launch.dataDir ?? app.getPath('userData')
  // V8's compiled code, which Node checks against the source. Best effort: without it, the start takes longer. A new
  // folder is made by `startWindow`.
  if (existsSync(dataDir)) enableCompileCache(join(dataDir, 'compile-cache'))
  const { startWindow } = await import('./app/window/start-window.ts')
  await startWindow({ dataDir, dataDirGiven: launch.dataDir !== null, outDir, resourcesDir, files: launch.files })
}
