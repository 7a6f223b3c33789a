/** @file Collects diagnostics of the running app and saves them. Nothing is sent anywhere. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { arch, cpus, freemem, release, totalmem, version } from 'node:os'
import { join } from 'node:path'
import { app, screen, type BrowserWindow } from 'electron'
import { MienError } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { DiagnosticsFile } from '@shared/ipc/app-state.ts'
import type { AppContext } from '../app-context.ts'
import { saveWhereChosen } from '../../machine/system/file-dialogs.ts'
import { diagnosticsFiles, zipOf, type ReportFile } from './report.ts'

interface DiagnosticsDeps {
  context: AppContext
  dataDir: string
  window: () => BrowserWindow | null
  /** Secrets besides the services' keys: a proxy's password. */
  secrets: readonly string[]
}

/** Max characters of a file in the preview, from its end, to keep the page fast. */
const maxShown = 100_000
/** Max number of swaps included. */
const maxSwaps = 1000

export class Diagnostics {
  private collected: ReportFile[] = []

  constructor(private readonly deps: DiagnosticsDeps) {}

  /** `codecs`: supported codecs, which only a page can query. */
  async collect(codecs: Record<string, boolean>): Promise<DiagnosticsFile[]> {
    const { context, dataDir } = this.deps
    // Reads every key's status, so that the vault has seen all keys to be removed.
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
        computer: { ...(await describeComputer()), measured: context.benchmark.measured },
        codecs,
        crashes: await listCrashes(),
        logs: await readLogs(join(dataDir, 'logs')),
      },
      // Some secrets are pairs of name and secret.
      [...context.vault.secrets.flatMap((secret) => [secret, ...secret.split(':')]), ...this.deps.secrets],
    )
    return this.collected.map(({ name, data }) => ({
      name,
      text: data.toString().slice(-maxShown),
      bytes: data.length,
    }))
  }

  /**
   * Saves the files of the last `collect`. @throws MienError `not-found` before a `collect`
   */
  async save(): Promise<{ saved: boolean }> {
    if (this.collected.length === 0) throw new MienError('not-found')
    const now = new Date()
    const options = {
      defaultPath: join(app.getPath('documents'), `mien-diagnostics-${now.toISOString().slice(0, 10)}.zip`),
      filters: [{ name: m.dialog_zip(), extensions: ['zip'] }],
    }
    return saveWhereChosen(this.deps.window(), options, async (path) => {
      await writeFile(path, await zipOf(this.collected, now))
    })
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

/** Chromium stores crash dumps in subfolders of this folder. */
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
