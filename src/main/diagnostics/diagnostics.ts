/** @file Collects the diagnostics from the running app, and saves what was shown. Nothing is sent anywhere. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { arch, cpus, freemem, release, totalmem, version } from 'node:os'
import { join } from 'node:path'
import { app, dialog, screen, type BrowserWindow } from 'electron'
import { MienError } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { DiagnosticsFile } from '@shared/ipc.ts'
import type { AppContext } from '../app/app-context.ts'
import { diagnosticsFiles } from './report.ts'
import { makeZip, type ZipEntry } from './zip.ts'

interface DiagnosticsDeps {
  context: AppContext
  dataDir: string
  window: () => BrowserWindow | null
  /** Besides the services' keys: a proxy's password. */
  secrets: readonly string[]
}

/** Most of a file that is shown, from its end: a page has to stay quick. */
const maxShown = 100_000
/** Swaps that are described. */
const maxSwaps = 1000

export class Diagnostics {
  private readonly deps: DiagnosticsDeps
  private collected: ZipEntry[] = []

  constructor(deps: DiagnosticsDeps) {
    this.deps = deps
  }

  /** `codecs`: what the studio's page can read and write, which only a page can ask. */
  async collect(codecs: Record<string, boolean>): Promise<DiagnosticsFile[]> {
    const { context, dataDir } = this.deps
    // This reads the state of every key, after which the vault knows them all.
    const profiles = await context.profiles.list()
    for (const { id } of profiles) await context.uploads.view(id)
    this.collected = diagnosticsFiles(
      {
        versions: {
          mien: app.getVersion(),
          electron: process.versions.electron,
          chromium: process.versions.chrome,
          node: process.versions.node,
          packaged: String(app.isPackaged),
        },
        settings: context.settings.settings,
        locked: context.settings.locked,
        services: profiles.map(({ id, baseUrl, key }) => ({ id, baseUrl, keyKept: key.kept })),
        tasks: context.library.newest(maxSwaps),
        computer: { ...(await describeComputer()), measured: context.machine.measured },
        codecs,
        crashes: await listCrashes(),
        logs: await readLogs(join(dataDir, 'logs')),
      },
      // Some are a pair: a name and its secret.
      [...context.vault.secrets.flatMap((secret) => [secret, ...secret.split(':')]), ...this.deps.secrets],
    )
    return this.collected.map(({ name, data }) => ({
      name,
      text: data.toString().slice(-maxShown),
      bytes: data.length,
    }))
  }

  /** Writes what `collect` gave. False: the user closed the dialog. @throws MienError `not-found` before a `collect` */
  async save(): Promise<boolean> {
    if (this.collected.length === 0) throw new MienError('not-found')
    const now = new Date()
    const options = {
      defaultPath: join(app.getPath('documents'), `mien-diagnostics-${now.toISOString().slice(0, 10)}.zip`),
      filters: [{ name: m.dialog_zip(), extensions: ['zip'] }],
    }
    const parent = this.deps.window()
    const { filePath } = await (parent ? dialog.showSaveDialog(parent, options) : dialog.showSaveDialog(options))
    if (filePath === '') return false
    await writeFile(filePath, makeZip(this.collected, now))
    return true
  }
}

async function describeComputer(): Promise<Record<string, unknown>> {
  return {
    system: { platform: process.platform, arch: arch(), release: release(), version: version() },
    processor: { model: cpus()[0]?.model ?? null, cores: cpus().length },
    memory: { bytes: totalmem(), freeBytes: freemem() },
    displays: screen.getAllDisplays().map(({ size, scaleFactor }) => ({ ...size, scaleFactor })),
    graphics: await app.getGPUInfo('basic').catch(() => null),
    graphicsFeatures: app.getGPUFeatureStatus(),
    locale: app.getLocale(),
  }
}

/** Chromium keeps crash dumps in folders of its own making under this one. */
async function listCrashes(): Promise<{ at: string; bytes: number }[]> {
  const dir = app.getPath('crashDumps')
  const names = await readdir(dir, { recursive: true }).catch(() => [])
  const dumps = names.filter((name) => name.endsWith('.dmp'))
  return Promise.all(
    dumps.map(async (name) => {
      const { mtime, size } = await stat(join(dir, name))
      return { at: mtime.toISOString(), bytes: size }
    }),
  )
}

async function readLogs(dir: string): Promise<{ name: string; text: string }[]> {
  const names = await readdir(dir).catch(() => [])
  const logs = names.filter((name) => name.endsWith('.log')).toSorted()
  return Promise.all(logs.map(async (name) => ({ name, text: await readFile(join(dir, name), 'utf8') })))
}
