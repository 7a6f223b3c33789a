/**
 * @file The app without a window: the embedded service and the engine, which say what they do by lines of JSON on stdout.
 * In `MIEN_KILLS_DURABLE` lies, of each engine job's folder, what a power cut would leave now. `MIEN_KILLS_METHOD` has the
 * files of a model, as JSON, or `null` for the built-in way.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  promises,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { app, BrowserWindow } from 'electron'
import type { EngineHost, EnginePort, MethodFiles } from '../../../src/main/engine/host/engine-host.ts'
import { EmbeddedService } from '../../../src/main/service/embedded/embedded-service.ts'
import { toErrorBody } from '../../../src/shared/errors.ts'
import { createEngine, say, start } from './electron-main.ts'

const { MIEN_KILLS_DIR: dir = '', MIEN_KILLS_DURABLE: durable = '' } = process.env
// Our own caller wrote it.
const method = JSON.parse(process.env['MIEN_KILLS_METHOD'] ?? 'null') as MethodFiles | null

for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error: unknown) => {
    say({ uncaught: String(error) })
  })
}

/** Mirrors every folder `work` as its synced names and synced bytes say. */
function keepDurable(): void {
  const bytes = join(durable, 'bytes')
  const names = join(durable, 'names')
  for (const folder of [bytes, names]) mkdirSync(folder, { recursive: true })
  const inodes = new Map<string, number>()
  const noteFile = (path: string): void => {
    const { ino } = statSync(path)
    copyFileSync(path, join(bytes, String(ino)))
    if (inodes.get(basename(path)) === ino) copyFileSync(path, join(names, basename(path)))
  }
  const noteFolder = (path: string): void => {
    const there = readdirSync(path)
    for (const name of readdirSync(names)) if (!there.includes(name)) rmSync(join(names, name))
    for (const name of there) {
      const { ino } = statSync(join(path, name))
      const known = join(bytes, String(ino))
      inodes.set(name, ino)
      // A name whose bytes were never synced: the file is there, and empty.
      if (existsSync(known)) copyFileSync(known, join(names, name))
      else writeFileSync(join(names, name), '')
    }
  }
  const original = promises.open
  promises.open = async (...args: Parameters<typeof original>) => {
    const handle = await original(...args)
    const path = readlinkSync(`/proc/self/fd/${String(handle.fd)}`)
    const isFolder = basename(path) === 'work'
    if (!isFolder && basename(dirname(path)) !== 'work') return handle
    const own = isFolder ? handle.sync.bind(handle) : handle.datasync.bind(handle)
    handle[isFolder ? 'sync' : 'datasync'] = async () => {
      await own()
      // Gone meanwhile, with the job.
      if (existsSync(path)) (isFolder ? noteFolder : noteFile)(path)
    }
    return handle
  }
  syncBuiltinESMExports()
}

/** The engine, telling. */
function told(host: EngineHost): EnginePort {
  return {
    swap: async (job) => {
      say({ begun: job.dir })
      const onProgress: typeof job.onProgress = (progress) => {
        say({ progress })
        job.onProgress(progress)
      }
      const result = await host.swap({ ...job, method, onProgress })
      say({ swapped: { stages: result.stages, ranOn: result.ranOn } })
      return result
    },
  }
}

async function main(): Promise<void> {
  const host = createEngine((line) => {
    say({ log: line })
  })
  const log = (message: string, error?: unknown): void => {
    say({ log: message, error: toErrorBody(error) })
  }
  const service = new EmbeddedService({ dir, engine: told(host), log })
  say({ service: await service.start() })
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'crash') BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer()
  }
  app.exit(0)
}

keepDurable()
start(main)
