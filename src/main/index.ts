/** @file Entry point: security first, then a window or a command. */
import { join } from 'node:path'
import { app, crashReporter } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import { readLaunch } from './cli/args.ts'
import { runCli } from './cli/run.ts'
import { ensureDataFolder } from './data/data-folder.ts'
import { nameDiskFull } from './data/disk-full.ts'
import { captureErrors } from './log/capture.ts'
import { openLog } from './log/log.ts'
import { registerSchemes } from './protocol/app-protocol.ts'
import { lockContents } from './security/lock-contents.ts'
import { openStudio } from './window/studio.ts'
import { failToStart, sayUnforeseen } from './window/trouble-dialogs.ts'

const outDir = join(import.meta.dirname, '..')
const resourcesDir = app.isPackaged ? join(process.resourcesPath, 'resources') : join(app.getAppPath(), 'resources')

// Root can't use Chromium's sandbox: scripts then pass --no-sandbox, which enableSandbox would override.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
registerSchemes()
lockContents(app)

const launch = readLaunch(process.argv.slice(app.isPackaged ? 1 : 2), process.cwd())
if (launch.kind === 'cli') {
  runCli({ ...launch, outDir, resourcesDir })
} else {
  openWindow(launch.dataDir)
}

function openWindow(givenDir: string | null): void {
  const dataDir = givenDir ?? app.getPath('userData')
  try {
    ensureDataFolder(dataDir, { given: givenDir !== null, write: true })
  } catch (error) {
    // Without a folder there is no log; Chromium's files stay in the default folder.
    void app.whenReady().then(() => {
      failToStart(error)
    })
    return
  }
  if (givenDir !== null) app.setPath('userData', givenDir)
  if (!app.requestSingleInstanceLock()) {
    process.stderr.write(`${m.already_open()}\n`)
    app.exit(0)
    return
  }
  const log = openLog(dataDir, false)
  captureErrors(log, sayUnforeseen)
  log.info(`Mien ${app.getVersion()} starts`)
  // Dumps stay on this computer; diagnostics only list them.
  crashReporter.start({ uploadToServer: false })
  // No top-level await: an ES module as main would deadlock.
  app
    .whenReady()
    .then(() => {
      openStudio({ dataDir, dataDirGiven: givenDir !== null, outDir, resourcesDir, log })
    })
    .catch((error: unknown) => {
      log.warn('Mien did not start', error)
      failToStart(nameDiskFull(error))
    })
}
