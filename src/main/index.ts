/** @file Where Mien starts: locks first, then a window or a command. */
import { join } from 'node:path'
import { app, crashReporter } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import { readLaunch } from './cli/args.ts'
import { runCli } from './cli/run.ts'
import { openLog } from './log/log.ts'
import { registerSchemes } from './protocol/app-protocol.ts'
import { lockContents } from './security/lock-contents.ts'
import { openStudio } from './window/studio.ts'

const outDir = join(import.meta.dirname, '..')
const resourcesDir = app.isPackaged ? join(process.resourcesPath, 'resources') : join(app.getAppPath(), 'resources')

// Root cannot have Chromium's sandbox at all: there the scripts pass --no-sandbox, which this would take back.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
registerSchemes()
lockContents(app)

const launch = readLaunch(process.argv.slice(app.isPackaged ? 1 : 2), process.cwd())
if (launch.kind === 'cli') {
  runCli({ ...launch, outDir, resourcesDir })
} else {
  if (launch.dataDir !== null) app.setPath('userData', launch.dataDir)
  const dataDir = app.getPath('userData')
  if (app.requestSingleInstanceLock()) {
    const log = openLog(dataDir, false)
    log.info(`Mien ${app.getVersion()} starts`)
    // Dumps stay on this computer; diagnostics only count them.
    crashReporter.start({ uploadToServer: false })
    // Not awaited at the top level: an ES module as main would wait for itself.
    app
      .whenReady()
      .then(() => {
        openStudio({ dataDir, dataDirGiven: launch.dataDir !== null, outDir, resourcesDir, log })
      })
      .catch((error: unknown) => {
        log.warn('Mien did not start', error)
        app.exit(1)
      })
  } else {
    process.stderr.write(`${m.already_open()}\n`)
    app.exit(0)
  }
}
