/**
 * @file The bench's Electron main: swaps through `EngineHost` and runs the codec alone, as told by lines of JSON on stdin,
 * answering with one line each on stdout.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { app, BrowserWindow } from 'electron'
import { EngineHost } from '../../src/main/engine/engine-host.ts'
import { createEngineSession } from '../../src/main/engine/engine-window.ts'
import { registerSchemes } from '../../src/main/protocol/app-protocol.ts'
import type { EngineProgress } from '../../src/shared/engine.ts'
import { toErrorBody } from '../../src/shared/errors.ts'

interface Step {
  kind: 'face' | 'video' | 'swap' | 'codec' | 'end'
  face?: string
  video?: string
  dir: string
  cancelAfterMs?: number
  /** Kills the engine window's process so long after the swapping began. */
  crashAfterMs?: number
  /** Tells progress, one line each. */
  told?: boolean
}

const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

registerSchemes()
// Root on a test machine runs with --no-sandbox, which contradicts this.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()

/** Runs the codec alone in a window like the engine's. */
class CodecWindow {
  readonly #grants = { items: new Map<string, string>(), folders: new Map<string, string>() }
  readonly #window: BrowserWindow
  readonly #loaded: Promise<void>

  constructor(page: string, modelsDir: string) {
    const own = createEngineSession({ rendererDir: page, modelsDir, preload: '' }, this.#grants)
    this.#window = new BrowserWindow({ show: false, webPreferences: { session: own, backgroundThrottling: false } })
    this.#loaded = this.#window.loadURL('app://engine/index.html')
  }

  async run(video: string, dir: string): Promise<unknown> {
    await this.#loaded
    this.#grants.items.set('video.mp4', video)
    this.#grants.folders.set('job', dir)
    return this.#window.webContents.executeJavaScript("codecAlone('media://item/video.mp4', 'media://job/job')")
  }
}

async function main(): Promise<void> {
  const { MIEN_BENCH_OUT: out = '', MIEN_BENCH_PAGE: page = '', MIEN_BENCH_MODELS: modelsDir = '' } = process.env
  const host = new EngineHost({
    rendererDir: join(out, 'renderer'),
    modelsDir,
    preload: join(out, 'preload/engine.cjs'),
    log: (line) => process.stderr.write(`${line}\n`),
  })
  let codec: CodecWindow | null = null
  const run = async ({
    kind,
    face = '',
    video = '',
    dir,
    cancelAfterMs,
    crashAfterMs,
    told,
  }: Step): Promise<unknown> => {
    mkdirSync(dir, { recursive: true })
    const signal = cancelAfterMs === undefined ? undefined : AbortSignal.timeout(cancelAfterMs)
    let crash = crashAfterMs ?? null
    const onProgress = (progress: EngineProgress): void => {
      if (told) say({ progress })
      if (crash === null || progress.stage !== 'swapping') return
      setTimeout(() => {
        BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer()
      }, crash)
      crash = null
    }
    switch (kind) {
      case 'face':
        return host.inspectFace(face, dir, signal)
      case 'video':
        return host.inspectVideo(video, dir, signal)
      case 'swap':
        return host.swap({ face, video, dir, signal, onProgress })
      case 'codec':
        codec ??= new CodecWindow(page, modelsDir)
        return codec.run(video, dir)
      case 'end':
        host.dispose()
        return null
    }
  }
  say({ ready: true })
  for await (const line of createInterface({ input: process.stdin })) {
    // Our own caller wrote it.
    const step = JSON.parse(line) as Step
    const started = performance.now()
    try {
      say({ result: await run(step), ms: performance.now() - started })
    } catch (error) {
      say({ error: toErrorBody(error), ms: performance.now() - started })
    }
    if (step.kind === 'end') break
  }
  app.exit(0)
}

app.on('window-all-closed', () => undefined)
void app.whenReady().then(main)
