/**
 * @file A child process in Electron: the real app context without a window, so creates go the way they go in the app (Electron's
 * net, each over a connection of its own). Keys are kept in a file of the run's folder in place of a keychain.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import { createAppContext } from '../../../src/main/app/app-context.ts'
import { Keychain } from '../../../src/main/machine/keychain/keychain.ts'
import { openNetwork } from '../../../src/main/remote/network.ts'
import { openLog } from '../../../src/main/machine/log/log.ts'
import { registerSchemes } from '../../../src/main/pages/app-protocol.ts'
import { SettingsStore } from '../../../src/main/machine/settings/settings-store.ts'
import { addMedia } from '../../fixtures/task-service.ts'
import { makeDraft } from '../../fixtures/tasks.ts'
import { rowOf } from '../../fault/node-mien.ts'
import { serve } from './serve.ts'

const dir = process.env['MIEN_FAULT_DIR'] ?? ''
let uncaught = 0
process.on('uncaughtException', (error) => {
  uncaught += 1
  process.stderr.write(`uncaught: ${String(error.stack)}\n`)
})
process.on('unhandledRejection', (error) => {
  uncaught += 1
  process.stderr.write(`unhandled: ${String(error)}\n`)
})

registerSchemes()
app.setPath('userData', join(dir, 'chromium'))

/** keytar's three calls over a file. */
class FileKeys {
  private readonly file = join(dir, 'keys.json')
  private all(): Record<string, string> {
    try {
      // Written below.
      return JSON.parse(readFileSync(this.file, 'utf8')) as Record<string, string>
    } catch {
      return {}
    }
  }
  getPassword = async (_service: string, account: string): Promise<string | null> => this.all()[account] ?? null
  setPassword = async (_service: string, account: string, secret: string): Promise<void> => {
    writeFileSync(this.file, JSON.stringify({ ...this.all(), [account]: secret }))
  }
  deletePassword = async (_service: string, account: string): Promise<boolean> => {
    writeFileSync(
      this.file,
      JSON.stringify(Object.fromEntries(Object.entries(this.all()).filter(([name]) => name !== account))),
    )
    return true
  }
}

async function main(): Promise<void> {
  const resultsDir = join(dir, 'results')
  mkdirSync(resultsDir, { recursive: true })
  const dataDir = join(dir, 'data')
  const settings = new SettingsStore(dataDir, Date.now())
  const context = createAppContext({
    ...{ dataDir, settings },
    outDir: process.env['MIEN_FAULT_OUT'] ?? '',
    resourcesDir: process.env['MIEN_FAULT_RESOURCES'] ?? '',
    signing: { dir: dataDir, files: null },
    // Only these three of keytar's calls are made.
    keychain: new Keychain(settings.install, async () => new FileKeys() as unknown as typeof import('keytar')),
    resultsFolder: () => resultsDir,
    network: openNetwork(),
    log: openLog(dir, true),
  })
  addMedia(context.media, dir)
  await context.start()
  const specOf = async (id: string) => {
    const { name, keyHeader, durationUnit, allowHttp } = await context.profiles.get(id)
    return { id, name, keyHeader, durationUnit, allowHttp }
  }
  await serve({
    resultsDir,
    addService: async ({ name, baseUrl, key }) => {
      const { id } = await context.profiles.save({ name, baseUrl, allowHttp: true })
      await context.profiles.setKey(id, key, 'keychain')
      return id
    },
    setKey: async (profileId, key) => {
      await context.profiles.setKey(profileId, key, 'keychain')
      context.tasks.pauses.keyChanged(profileId)
    },
    setBase: async (profileId, baseUrl) => {
      await context.profiles.save({ ...(await specOf(profileId)), baseUrl })
    },
    submit: async (profileId, title) => context.tasks.submit(makeDraft({ profileId, title })).taskId,
    rows: async () => context.library.newest(1000).map(rowOf),
    crashes: async () => uncaught,
  })
  app.exit(0)
}

app.on('window-all-closed', () => undefined)
app
  .whenReady()
  .then(main)
  .catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    app.exit(1)
  })
